/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache of symbols below a folder of its own, for tests. */
#ifndef VMMPROF_TEST_SYMCACHE_DIR
#define VMMPROF_TEST_SYMCACHE_DIR

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "symcache/entry.h"
#include "symcache/evict.h"
#include "test.h"
#include "transport/import.h"

#define UUID_A "12345678-9abc-def0-1234-56789ABCDEF0"

static char base[64];
static struct symcache cache;

static inline int begin(void)
{
	char dir[96];

	strcpy(base, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(base))
		abort();
	snprintf(dir, sizeof(dir), "%s/var/cache", base);
	return symcache_open(&cache, dir, true);
}

static inline void end(void)
{
	char command[128];

	symcache_close(&cache);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	if (system(command))
		abort();
}

static inline void shell(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; }", base, command);
	if (system(line))
		abort();
}

/* A VMM process; '|' in its command line stands for the end of an argument. */
static inline void write_vm(unsigned int pid, const char *cmdline)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p proc/%u", pid);
	shell(path);
	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", base, pid);
	f = fopen(path, "w");
	for (; f && *cmdline; cmdline++)
		putc(*cmdline == '|' ? 0 : *cmdline, f);
	if (!f || fclose(f))
		abort();
}

static inline const char *id_of(unsigned int pid)
{
	static char id[GUEST_ID];
	int ret = guest_id(base, pid, id);

	return !ret ? id : ret == -ENOENT ? "none" : "error";
}

/* A build-id of one repeated byte. */
static inline const uint8_t *bid(int byte)
{
	static uint8_t id[20];

	memset(id, byte, sizeof(id));
	return id;
}

static inline void build_owned(struct build *b, __u32 id, int byte, __u32 flags)
{
	struct vmmprof_maps_file f = {
		.id = id,
		.flags = flags,
		.build_id_size = 20,
	};

	memcpy(f.build_id, bid(byte), 20);
	build_item(b, VMMPROF_MAPS_FILE, &f, sizeof(f), "/bin/x", 7);
}

/* A file that the guest's root alone can write. */
static inline void build_file(struct build *b, __u32 id, int byte, __u32 flags)
{
	build_owned(b, id, byte, flags | VMMPROF_FILE_F_ROOT);
}

/* One function at 0x1000 in a segment at 0x1000. */
static const struct vmmprof_maps_symtab *
build_symtab(struct build *b, __u32 file, const char *name)
{
	const struct vmmprof_segment seg = { 0x1000, 0x1000, 0x1000 };
	const struct vmmprof_symbol sym = { .addr = 0x1000, .size = 16 };
	struct vmmprof_maps_symtab t = {
		.file = file,
		.nr_segments = 1,
		.nr_symbols = 1,
		.strings_size = strlen(name) + 1,
	};
	__u8 tail[512];
	size_t n = sizeof(seg) + sizeof(sym) + t.strings_size;

	memcpy(tail, &seg, sizeof(seg));
	memcpy(tail + sizeof(seg), &sym, sizeof(sym));
	memcpy(tail + sizeof(seg) + sizeof(sym), name, t.strings_size);
	return build_item(b, VMMPROF_MAPS_SYMTAB, &t, sizeof(t), tail, n);
}

static struct build built;

static inline const struct vmmprof_maps_symtab *symtab(const char *name)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	return build_symtab(&built, 7, name);
}

/* One rule, of @cfa, that holds for 16 bytes from 0x1000 on. */
static const struct vmmprof_maps_unwind *build_unwind(struct build *b,
						      __u32 file, int cfa)
{
	struct {
		struct vmmprof_maps_unwind u;
		struct vmmprof_unwind_rule rule;
		__u8 rows[2];
	} __attribute__((packed)) s = {
		.u = { .file = file, .unwind = { 0x1000, 0x1010, 1, 1 } },
		.rule = { .cfa = cfa, .kind = VMMPROF_UNWIND_CALL },
	};

	return build_item(b, VMMPROF_MAPS_UNWIND, &s, sizeof(s), NULL, 0);
}

static inline const struct vmmprof_maps_unwind *unwind(int cfa)
{
	build_header(&built, VMMPROF_FILE_MAPS);
	return build_unwind(&built, 7, cfa);
}

/* Keeps a table as an entry. */
static inline int put_table(const struct symcache_guest *g,
			    const struct symcache_key *key,
			    const struct vmmprof_item_hdr *t)
{
	FILE *f = tmpfile();
	int ret = f ? symcache_entry_write(fileno(f), key, 20, t) : 1;

	if (!ret)
		ret = symcache_put(g, key, fileno(f),
				   lseek(fileno(f), 0, SEEK_CUR));
	if (f)
		fclose(f);
	return ret;
}

/* An entry; a damaged one is removed, as a merge does. */
static inline int get_table(const struct symcache_guest *g,
			    const struct symcache_key *key, struct bundle *b)
{
	int fd = symcache_get(g, key), ret;

	if (fd < 0)
		return fd;
	ret = symcache_entry_read(fd, key, b);
	close(fd);
	if (ret == -EBADMSG)
		symcache_drop(g, key);
	return ret ? -ENOENT : 0;
}

/* The key of a build-id of one repeated byte. */
static inline const struct symcache_key *key(int byte, uint32_t kind)
{
	static struct symcache_key k;

	memset(k.build_id, byte, sizeof(k.build_id));
	k.kind = kind;
	return &k;
}

static inline int put(const struct symcache_guest *g, const uint8_t *id,
		      const struct vmmprof_maps_symtab *t)
{
	return put_table(g, key(*id, SYMCACHE_SYMBOLS), &t->hdr);
}

static inline int put_unwind(const struct symcache_guest *g, int byte,
			     const struct vmmprof_maps_unwind *t)
{
	return put_table(g, key(byte, SYMCACHE_UNWIND), &t->hdr);
}

static inline int get(const struct symcache_guest *g, const uint8_t *id,
		      struct bundle *b)
{
	return get_table(g, key(*id, SYMCACHE_SYMBOLS), b);
}

static inline const char *first_name(const struct bundle_file *f)
{
	return f->symtab ? symtab_strings(f->symtab) : NULL;
}

/* The guest of a VM that is called @name. */
static inline int open_guest(unsigned int pid, const char *name,
			     struct symcache_guest *g)
{
	char cmdline[128];

	snprintf(cmdline, sizeof(cmdline), "qemu|-name|%s|", name);
	write_vm(pid, cmdline);
	if (symcache_claim(&cache, base, pid))
		abort();
	return symcache_guest_open(&cache, pid, name, g);
}

static inline int nr_have(const struct symcache_guest *g)
{
	int fd = symcache_have(g, false);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (fd >= 0)
		close(fd);
	return size % 20 ? -1 : size / 20;
}

#endif /* VMMPROF_TEST_SYMCACHE_DIR */
