// SPDX-License-Identifier: GPL-2.0-only
/*
 * look MEMORY SIZE CR3 RIP GS OUT: reads the guest whose memory is in the file
 * MEMORY (SIZE bytes from guest-physical address 0 on), with the CR3, the RIP
 * and the base of GS of a moment in its kernel.  Writes what it found to OUT/kernel, OUT/symbols,
 * OUT/modules, OUT/tasks, OUT/PID.maps, .cgroup, .cmdline and .ids; and a bundle
 * to OUT/bundle.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "introspect/elf_note.h"
#include "introspect/files.h"
#include "introspect/modules.h"
#include "introspect/read_apart.h"
#include "introspect/vmas.h"

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

/* Who runs on the CPU with this base of GS, as the module finds it. */
static void print_current(const struct guest_kernel *k, __u64 gs, FILE *f)
{
	struct vmmprof_guest_layout l;
	char comm[17] = "";
	__u32 tgid, pid;
	__u64 task;

	if (guest_kernel_layout(k, 1, &l) ||
	    guest_space_u64(&k->space, gs + l.current_task, &task) ||
	    guest_space_u32(&k->space, task + l.task_tgid, &tgid) ||
	    guest_space_u32(&k->space, task + l.task_pid, &pid) ||
	    guest_space_read(&k->space, task + l.task_comm, comm, 16))
		return;
	fprintf(f, "current=%u %u %s\n", tgid, pid, comm);
}

static void print_kernel(const struct guest_kernel *k, __u64 gs,
			 const char *dir)
{
	FILE *f = create(dir, "kernel");
	int i;

	fprintf(f, "banner=%s", k->banner);
	fprintf(f, "text=%llx\ntext_end=%llx\nslide=%llx\n", k->text,
		k->text_end, k->slide);
	fprintf(f, "nodename=%s\nrelease=%s\npti=%d\nla57=%d\n", k->nodename,
		k->release, k->pti, k->space.la57);
	fprintf(f, "phys_mask=%llx\ninit_key=%llx\n", k->phys_mask,
		k->init_key);
	print_current(k, gs, f);
	fprintf(f, "build_id=");
	for (i = 0; i < k->build_id_size; i++)
		fprintf(f, "%02x", k->build_id[i]);
	fprintf(f, "\n");
	for (i = 0; i < NR_GUEST_GROUPS; i++) {
		char missing[128];

		guest_members_missing(&k->members, i, missing, sizeof(missing));
		fprintf(f, "lacks.%d=%s\n", i, missing);
	}
	fclose(f);
}

static void print_symbols(const struct guest_symbols *s, size_t from, size_t to,
			  const char *module, FILE *f)
{
	size_t i;

	for (i = from; i < to; i++)
		fprintf(f, "%016llx %c %s%s\n", s->syms[i].addr,
			s->syms[i].type, guest_symbol_name(s, &s->syms[i]),
			module);
}

static void print_modules(const struct guest_kernel *k, const char *dir,
			  FILE *symbols)
{
	FILE *f = create(dir, "modules");
	struct guest_modules m;
	size_t i;
	int err = guest_modules_read(k, true, &m);

	if (err) {
		fprintf(f, "%s\n", strerror(-err));
	} else {
		for (i = 0; i < m.nr; i++) {
			char text[64];

			fprintf(f, "%s %llu 0x%016llx\n", m.module[i].name,
				m.module[i].size, m.module[i].base);
			snprintf(text, sizeof(text), "\t[%s]",
				 m.module[i].name);
			print_symbols(&m.symbols, m.module[i].first,
				      m.module[i].first + m.module[i].nr, text,
				      symbols);
		}
		fprintf(f, "damaged %zu\n", m.damaged);
		guest_modules_deinit(&m);
	}
	fclose(f);
}

/* A line of /proc/PID/maps. */
static void print_map(const struct guest_kernel *k, const struct guest_task *t,
		      const struct guest_vma *v, FILE *f, FILE *ids)
{
	struct guest_space space = guest_task_space(k, t);
	struct guest_file file = { 0 };
	static struct path_text path;
	char name[GUEST_VMA_TEXT];
	__u8 id[20];
	int i, n = 0, err = 0;

	path_text_init(&path);
	if (v->file) {
		err = guest_file_read(k, v->file, &file);
		err = err ?: guest_file_path(k, t, &file, &path);
		if (err)
			fprintf(f, "%s: ", strerror(-err));
	} else if (guest_vma_name(k, v, name, sizeof(name))) {
		path_text_put(&path, name, strlen(name));
	}
	fprintf(f, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu %s\n",
		v->start, v->end, v->flags & 1 ? 'r' : '-',
		v->flags & 2 ? 'w' : '-', v->flags & 4 ? 'x' : '-',
		v->flags & 0x80 ? 's' : 'p', v->file ? v->pgoff : 0,
		major(file.dev), minor(file.dev), file.ino, path.buf + path.at);
	if (!v->file || v->pgoff)
		return;
	n = elf_note_read(&space, v->start, id);
	fprintf(ids, "%llx ", v->start);
	for (i = 0; i < n; i++)
		fprintf(ids, "%02x", id[i]);
	fprintf(ids, "%s\n", n < 0 ? strerror(-n) : "");
}

static void print_process(const struct guest_kernel *k,
			  const struct guest_task *t, const char *dir)
{
	char name[32], text[4096];
	struct guest_vmas vmas;
	FILE *f, *ids;
	size_t i;
	int n, err;

	snprintf(name, sizeof(name), "%u.maps", t->tgid);
	f = create(dir, name);
	snprintf(name, sizeof(name), "%u.ids", t->tgid);
	ids = create(dir, name);
	guest_memory_forget(k->space.mem);
	err = guest_vmas_read(k, t->mm, &vmas);
	if (err)
		fprintf(f, "%s\n", strerror(-err));
	for (i = 0; !err && i < vmas.nr; i++)
		print_map(k, t, &vmas.vma[i], f, ids);
	if (!err && vmas.torn)
		fprintf(f, "torn\n");
	if (!err)
		guest_vmas_deinit(&vmas);
	fclose(f);
	fclose(ids);
	snprintf(name, sizeof(name), "%u.cgroup", t->tgid);
	f = create(dir, name);
	n = guest_task_cgroup(k, t, text, sizeof(text));
	fprintf(f, "0::%s\n", n < 0 ? strerror(-n) : text);
	fclose(f);
	snprintf(name, sizeof(name), "%u.cmdline", t->tgid);
	f = create(dir, name);
	guest_task_cmdline(k, t, text, sizeof(text));
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* A line for each task: numbers, and its name in hexadecimal. */
static void print_tasks(const struct guest_kernel *k, const char *dir)
{
	FILE *f = create(dir, "tasks");
	struct guest_tasks tasks;
	__u32 before = 0;
	size_t i;
	int j, err = guest_tasks_read(k, &tasks);

	if (err) {
		fprintf(f, "%s\n", strerror(-err));
		fclose(f);
		return;
	}
	for (i = 0; i < tasks.nr; i++) {
		const struct guest_task *t = &tasks.task[i];

		fprintf(f, "%u %u %u %d %llx ", t->tgid, t->pid, t->ppid,
			t->kthread, t->root);
		for (j = 0; j < 16 && t->comm[j]; j++)
			fprintf(f, "%02x", (__u8)t->comm[j]);
		fprintf(f, "\n");
		if (t->mm && t->tgid != before) {
			print_process(k, t, dir);
			before = t->tgid;
		}
	}
	if (tasks.torn)
		fprintf(f, "torn\n");
	guest_tasks_deinit(&tasks);
	fclose(f);
}

/* As the recorder does: in a process without rights. */
static void write_bundle(const struct guest_look *look, const char *dir,
			 const char *name, struct guest_found *found)
{
	struct guest_look l = *look;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	l.out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	err = guest_read_apart(&l, clock_now() + 60000000000ull, found);
	if (err || found->layout.size != sizeof(found->layout)) {
		fprintf(stderr, "%s: %d %s\n", path, err, found->error.text);
		exit(1);
	}
	close(l.out);
}

/* Twice: the second reading has what the first one found of the kernel. */
static void write_bundles(const struct guest_look *look, const char *dir)
{
	static struct guest_found first, again;
	struct guest_look second = *look;
	char path[4096];
	FILE *f = create(dir, "bytes");

	write_bundle(look, dir, "bundle", &first);
	snprintf(path, sizeof(path), "%s/bundle", dir);
	second.before = open(path, O_RDONLY | O_CLOEXEC);
	second.kernel = &first.kernel;
	write_bundle(&second, dir, "again", &again);
	close(second.before);
	fprintf(f, "%llu %llu\n", first.bytes, again.bytes);
	fclose(f);
}

int main(int argc, char **argv)
{
	struct guest_slot slot = { 0 };
	struct guest_memory mem;
	struct guest_kernel k;
	struct error e = { 0 };
	FILE *f;
	int err, fd;

	if (argc != 7)
		return 2;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	slot.size = strtoull(argv[2], NULL, 0);
	err = guest_memory_init(&mem, fd, &slot, 1);
	if (err) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
		return 1;
	}
	err = guest_kernel_open(&mem, strtoull(argv[3], NULL, 0),
				strtoull(argv[4], NULL, 0), &k, &e);
	if (err) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	print_kernel(&k, strtoull(argv[5], NULL, 0), argv[6]);
	f = create(argv[6], "symbols");
	print_symbols(&k.symbols, 0, k.symbols.nr, "", f);
	print_modules(&k, argv[6], f);
	fclose(f);
	print_tasks(&k, argv[6]);
	fprintf(stderr, "%llu reads, %llu bytes left\n", mem.reads, mem.bytes);
	guest_kernel_close(&k);
	guest_memory_deinit(&mem);
	write_bundles(&(struct guest_look){ .memory = fd,
					    .pid = 1,
					    .slots = &slot,
					    .nr_slots = 1,
					    .before = -1,
					    .unwind = true,
					    .cr3 = strtoull(argv[3], NULL, 0),
					    .rip = strtoull(argv[4], NULL, 0) },
		      argv[6]);
	return 0;
}
