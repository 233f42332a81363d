// SPDX-License-Identifier: GPL-2.0-only
/* Opens and validates a session directory; see vmmprof/session.h. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/preopen.h"
#include "format/session.h"
#include "format/session_open.h"
#include "base/vec.h"
#include "base/path_walk.h"
#include "base/saturate.h"
#include "base/sort.h"

#define SESSION_MAX_CPUS MERGE_FILES

#define WIDEST		 1000000000ull /* no recorder goes that far */

/* Append a pointer to one of the arrays of s; -ENOMEM. */
#define SESSION_ADD(s, what, pointer)                                    \
	({                                                               \
		int ret_ = vec_grow(&(s)->what, &(s)->cap_##what,        \
				    (s)->nr_##what, sizeof(*(s)->what)); \
		if (!ret_)                                               \
			(s)->what[(s)->nr_##what++] = (pointer);         \
		ret_;                                                    \
	})

static int add_cpu(struct session *s, __u32 cpu, struct session_cpu **ret)
{
	size_t i;
	int err;

	for (i = 0; i < s->nr_cpus; i++) {
		*ret = &s->cpus[i];
		if (s->cpus[i].cpu == cpu)
			return 0;
	}
	if (s->nr_cpus == SESSION_MAX_CPUS)
		return -E2BIG;
	err = vec_grow(&s->cpus, &s->cap_cpus, s->nr_cpus, sizeof(*s->cpus));
	if (err)
		return err;
	*ret = &s->cpus[s->nr_cpus++];
	memset(*ret, 0, sizeof(**ret));
	(*ret)->cpu = cpu;
	return 0;
}

static int add_cpu_stat(struct session *s, const struct vmmprof_info_cpu *item)
{
	struct session_cpu *cpu;
	int ret;

	ret = add_cpu(s, item->stat.cpu, &cpu);
	if (ret == -E2BIG)
		return 0;
	if (!ret)
		cpu->stat = item;
	return ret;
}

/* The size an item must have at least; 0: a type that is skipped. */
static size_t info_min_size(__u32 type)
{
	switch (type) {
	case VMMPROF_ITEM_TEXT:
	case VMMPROF_ITEM_NOTE:
		return sizeof(struct vmmprof_item_hdr);
	case VMMPROF_ITEM_CLOCK:
		return sizeof(struct vmmprof_item_clock);
	case VMMPROF_INFO_EVENT:
		return sizeof(struct vmmprof_info_event) + 1;
	case VMMPROF_INFO_VM:
		return sizeof(struct vmmprof_info_vm) + 1;
	case VMMPROF_INFO_VCPU:
		return sizeof(struct vmmprof_info_vcpu);
	case VMMPROF_INFO_GUEST:
		return sizeof(struct vmmprof_info_guest) + 1;
	case VMMPROF_INFO_CPU:
		return sizeof(struct vmmprof_info_cpu);
	case VMMPROF_INFO_STOP:
		return sizeof(struct vmmprof_info_stop);
	case VMMPROF_INFO_REACH:
		return sizeof(struct vmmprof_info_reach) + 1;
	case VMMPROF_INFO_MEMORY:
		return sizeof(struct vmmprof_info_memory) + 1;
	case VMMPROF_INFO_VCPU_STATE:
		return sizeof(struct vmmprof_info_vcpu_state);
	case VMMPROF_INFO_SWITCHES:
		return sizeof(struct vmmprof_info_switches);
	case VMMPROF_INFO_EXITS:
		return sizeof(struct vmmprof_info_exits);
	case VMMPROF_INFO_EXIT:
		return sizeof(struct vmmprof_info_exit);
	case VMMPROF_INFO_WIDENED:
		return sizeof(struct vmmprof_info_widened);
	}
	return 0;
}

/* Where the name at the end of an item begins; 0: it has none. */
static size_t info_name_offset(__u32 type)
{
	switch (type) {
	case VMMPROF_INFO_EVENT:
		return sizeof(struct vmmprof_info_event);
	case VMMPROF_INFO_VM:
		return sizeof(struct vmmprof_info_vm);
	case VMMPROF_INFO_GUEST:
		return sizeof(struct vmmprof_info_guest);
	case VMMPROF_INFO_REACH:
		return sizeof(struct vmmprof_info_reach);
	case VMMPROF_INFO_MEMORY:
		return sizeof(struct vmmprof_info_memory);
	}
	return 0;
}

static int add_reach(struct session *s, const struct vmmprof_info_reach *item)
{
	int err = hash_set(&s->reach_of, item->pid, s->nr_reach);

	return err ? err : SESSION_ADD(s, reach, item);
}

const struct vmmprof_info_reach *session_reach(const struct session *s,
					       __u32 pid)
{
	__u32 i = hash_get(&s->reach_of, pid);

	return i == VMMPROF_NONE ? NULL : s->reach[i];
}

/* One that no recorder writes is not believed. */
static int add_widened(struct session *s,
		       const struct vmmprof_info_widened *item)
{
	const size_t nr = s->nr_widened;

	if (item->factor < 2 || nr == PHASES_MAX ||
	    s->widest * item->factor > WIDEST ||
	    (nr && item->until_tsc < s->widened[nr - 1]->until_tsc)) {
		problem(&s->problems,
			"%s/info: that samples are %u times as far apart is not believed",
			s->dir, item->factor);
		return 0;
	}
	s->widest *= item->factor;
	return SESSION_ADD(s, widened, item);
}

static int info_item(struct session *s, const struct vmmprof_item_hdr *item)
{
	const struct vmmprof_info_event *event = (const void *)item;

	switch (item->type) {
	case VMMPROF_ITEM_TEXT:
		text_add(&s->text, item);
		return 0;
	case VMMPROF_ITEM_NOTE:
		if (!item_string(item, sizeof(*item)))
			return 0;
		return SESSION_ADD(s, notes, (const char *)(item + 1));
	case VMMPROF_ITEM_CLOCK:
		return SESSION_ADD(s, clocks, (const void *)item);
	case VMMPROF_INFO_EVENT:
		if (event->index < VMMPROF_MAX_EVENTS)
			s->events[event->index] = event;
		return 0;
	case VMMPROF_INFO_VM:
		return SESSION_ADD(s, vms, (const void *)item);
	case VMMPROF_INFO_VCPU:
		return SESSION_ADD(s, vcpus, (const void *)item);
	case VMMPROF_INFO_GUEST:
		return SESSION_ADD(s, guests, (const void *)item);
	case VMMPROF_INFO_CPU:
		return add_cpu_stat(s, (const void *)item);
	case VMMPROF_INFO_REACH:
		return add_reach(s, (const void *)item);
	case VMMPROF_INFO_MEMORY:
		return SESSION_ADD(s, memory, (const void *)item);
	case VMMPROF_INFO_STOP:
		s->stop = (const void *)item;
		return 0;
	case VMMPROF_INFO_VCPU_STATE:
		return SESSION_ADD(s, states, (const void *)item);
	case VMMPROF_INFO_SWITCHES:
		s->switches = (const void *)item;
		return 0;
	case VMMPROF_INFO_EXITS:
		s->exits_on = (const void *)item;
		return 0;
	case VMMPROF_INFO_EXIT:
		return SESSION_ADD(s, exits, (const void *)item);
	case VMMPROF_INFO_WIDENED:
		return add_widened(s, (const void *)item);
	}
	return 0;
}

static int read_info(struct session *s)
{
	const struct vmmprof_item_hdr *item;
	size_t min, name, bad = 0;
	int ret;

	while (items_next(&s->info, &item)) {
		min = info_min_size(item->type);
		name = info_name_offset(item->type);
		if (item->size < min || (name && !item_string(item, name))) {
			bad++;
			continue;
		}
		ret = info_item(s, item);
		if (ret)
			return ret;
	}
	s->complete = s->info.ended;
	if (bad)
		problem(&s->problems, "%s/info: %zu damaged items skipped",
			s->dir, bad);
	if (s->info.cut)
		problem(&s->problems,
			"%s/info: cut off or damaged at byte %zu: everything before it is used",
			s->dir, s->info.pos);
	else if (!s->complete)
		problem(&s->problems,
			"%s/info: the recorder did not finish: the session is read up to where it stopped",
			s->dir);
	return 0;
}

/* What to do about a file that may not be opened. */
static const char *way_out(const struct session *s, int err)
{
	struct stat st;

	if (err == -VMMPROF_ENAMES || err == -ELOOP)
		return ": copy the session (cp -rL) if you trust it, and read the copy";
	if (err == -EPERM)
		return ": another user's session takes CAP_SETUID and CAP_SETGID: read a copy";
	if (err == -EACCES && !fstat(s->dirfd, &st) && st.st_uid &&
	    st.st_uid != geteuid())
		return ": its directory is another user's, whose rights are taken: read a copy";
	return "";
}

static int open_info(struct session *s)
{
	const char *why;
	int fd, ret;

	fd = open_regular(s->dirfd, "info", O_NOFOLLOW);
	if (fd == -ENOENT) {
		problem(&s->problems,
			"%s: there is no session in this directory (no file 'info')",
			s->dir);
		return fd;
	}
	ret = fd;
	if (fd >= 0) {
		ret = items_init(&s->info, fd, VMMPROF_FILE_INFO);
		close(fd);
	}
	if (ret) {
		why = file_strerror(ret);
		problem(&s->problems, "%s/info: %s%s", s->dir,
			why ? why : path_walk_strerror(ret), way_out(s, ret));
		return ret;
	}
	return read_info(s);
}

static int cmp_cpu(const void *a, const void *b)
{
	const struct session_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* N of "cpu-N.rec", -1 for any other name. */
static long rec_file_cpu(const char *name)
{
	char again[32], *end;
	unsigned long cpu;

	if (strncmp(name, "cpu-", 4))
		return -1;
	cpu = strtoul(name + 4, &end, 10);
	if (cpu >= 1ul << 20)
		return -1;
	snprintf(again, sizeof(again), "cpu-%lu.rec", cpu);
	return strcmp(again, name) ? -1 : (long)cpu;
}

static int find_rec_files(struct session *s)
{
	struct session_cpu *cpu;
	struct dirent *d;
	int fd, ret = 0;
	DIR *dir;
	long nr;

	fd = fcntl(s->dirfd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	rewinddir(dir);
	while (!ret && (d = readdir(dir))) {
		nr = rec_file_cpu(d->d_name);
		if (nr < 0)
			continue;
		ret = add_cpu(s, nr, &cpu);
		if (!ret)
			cpu->file = true;
	}
	closedir(dir);
	if (ret == -E2BIG) {
		problem(&s->problems, "%s: more than %u CPUs", s->dir,
			SESSION_MAX_CPUS);
		ret = 0;
	}
	if (s->nr_cpus)
		sort_array(s->cpus, s->nr_cpus, sizeof(*s->cpus), cmp_cpu);
	return ret;
}

int session_open(struct session *s, const char *dir)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->widest = 1;
	s->dir = strdup(dir);
	if (!s->dir)
		return -ENOMEM;
	if (!preopen_find(AT_FDCWD, dir, &s->dirfd))
		s->dirfd = session_dir_open(dir);
	if (s->dirfd < 0) {
		ret = s->dirfd;
		problem(&s->problems, "%s: %s%s", dir,
			ret == -ENOTDIR ? "not a session directory" :
					  path_walk_strerror(ret),
			ret == -VMMPROF_ELINK ?
				": name the directory where it is" :
				"");
		return ret;
	}
	ret = open_info(s);
	if (!ret)
		ret = find_rec_files(s);
	return ret;
}

void session_close(struct session *s)
{
	free(s->dir);
	if (s->dirfd > 0)
		close(s->dirfd);
	free(s->vms);
	free(s->vcpus);
	free(s->guests);
	free(s->clocks);
	free(s->notes);
	free(s->reach);
	free(s->memory);
	hash_deinit(&s->reach_of);
	free(s->states);
	free(s->exits);
	free(s->widened);
	free(s->cpus);
	free(s->cuts.at);
	items_deinit(&s->info);
	problems_deinit(&s->problems);
	memset(s, 0, sizeof(*s));
}

/* A CPU that the recorder had samples of, and no file: it was removed. */
static void tell_missing(struct session *s, const struct session_cpu *cpu)
{
	if (!cpu->stat || !cpu->stat->stat.samples)
		return;
	merge_cuts_add(&s->cuts, cpu->cpu, 0);
	problem(&s->problems,
		"cpu-%u.rec: not there: %llu samples of CPU %u, and what ran on it, are missing",
		cpu->cpu, (unsigned long long)cpu->stat->stat.samples,
		cpu->cpu);
}

/* The record file of .cpus[i]: a descriptor, -ENOENT without one, -errno. */
static int open_records(const struct session *s, size_t i)
{
	char name[32];

	if (!s->cpus[i].file)
		return -ENOENT;
	snprintf(name, sizeof(name), "cpu-%u.rec", s->cpus[i].cpu);
	return open_regular(s->dirfd, name, O_NOFOLLOW);
}

static bool file_has_record(int fd, session_record_fn *is)
{
	const struct vmmprof_rec_hdr *hdr;
	bool found = false;
	struct reader r;

	if (reader_init(&r, fd))
		return false;
	while (!found) {
		if (reader_next_sample(&r))
			continue;
		if (reader_next(&r, &hdr) <= 0)
			break;
		found = hdr->type != VMMPROF_REC_SAMPLE && is(hdr);
	}
	reader_deinit(&r);
	return found;
}

bool session_has_record(const struct session *s, session_record_fn *is)
{
	bool found = false;
	size_t i;
	int fd;

	for (i = 0; i < s->nr_cpus && !found; i++) {
		fd = open_records(s, i);
		if (fd < 0)
			continue;
		found = file_has_record(fd, is);
		close(fd);
	}
	return found;
}

/* How far apart samples were, in terms of how far they were at the end. */
static void set_phases(const struct session *s, struct merge *m)
{
	__u64 factor = s->widest;
	size_t i;

	for (i = 0; i < s->nr_widened; i++) {
		m->phases.phase[i].until = s->widened[i]->until_tsc;
		m->phases.phase[i].factor = factor;
		factor /= s->widened[i]->factor;
	}
	m->phases.nr = s->nr_widened;
}

int session_merge(struct session *s, struct merge *m)
{
	size_t i, bad = 0;
	const char *why;
	char name[32];
	int fd, ret;

	free(s->cuts.at);
	s->cuts.nr = 0;
	s->cuts.at = calloc(s->nr_cpus + 1, sizeof(*s->cuts.at));
	if (!s->cuts.at)
		return -ENOMEM;
	ret = merge_init(m, s->nr_cpus, &s->problems);
	if (ret)
		return ret;
	m->cuts = &s->cuts;
	set_phases(s, m);
	for (i = 0; i < s->nr_cpus; i++) {
		if (!s->cpus[i].file) {
			tell_missing(s, &s->cpus[i]);
			continue;
		}
		snprintf(name, sizeof(name), "cpu-%u.rec", s->cpus[i].cpu);
		fd = open_records(s, i);
		ret = fd < 0 ? fd : merge_add(m, fd, name);
		if (!ret)
			continue;
		m->damaged = true;
		merge_cuts_add(&s->cuts, s->cpus[i].cpu, 0);
		/* A recorder that died at once leaves no whole header. */
		bad += ret != -ENODATA;
		why = file_strerror(ret);
		problem(&s->problems, "%s: not used: %s", name,
			why ? why : path_walk_strerror(ret));
	}
	if (!bad || m->nr)
		return 0;
	problem(&s->problems, "%s: no record file can be used", s->dir);
	merge_deinit(m);
	return -EBADMSG;
}

int session_open_bundle(const struct session *s, const char *name)
{
	char path[320];
	int n;

	if (!*name || *name == '.' || strchr(name, '/'))
		return -EINVAL;
	n = snprintf(path, sizeof(path), "guests/%s.bundle", name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return open_regular(s->dirfd, path, O_NOFOLLOW);
}

__u64 session_tsc_khz(const struct session *s)
{
	return text_number(&s->text, "tsc_khz", 10, 0);
}

bool session_is_svm(const struct session *s)
{
	char vendor[8];

	return text_get(&s->text, "vendor", vendor, sizeof(vendor)) > 0 &&
	       !strcmp(vendor, "svm");
}

bool session_in_vm(const struct session *s)
{
	char text[8];

	return text_get(&s->text, "virtual", text, sizeof(text)) > 0;
}

__u64 session_period(const struct session *s, unsigned int i)
{
	const struct vmmprof_info_event *e;

	if (i >= VMMPROF_MAX_EVENTS || !s->events[i])
		return 0;
	e = s->events[i];
	if (e->flags & VMMPROF_EVENT_F_FREQ)
		return e->period / s->widest;
	return sat_mul(e->period, s->widest);
}

const char *session_event_name(const struct session *s, unsigned int i)
{
	static const char *const names[VMMPROF_MAX_EVENTS] = {
		"event-0", "event-1", "event-2", "event-3",
		"event-4", "event-5", "event-6", "event-7",
	};

	if (i >= VMMPROF_MAX_EVENTS)
		return "event-?";
	if (!s->events[i])
		return names[i];
	return s->events[i]->name;
}
