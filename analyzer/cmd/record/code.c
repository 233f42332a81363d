// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof record`: fetches the code of guests' hot functions.  A process
 * without rights finds them as `vmmprof report` would, because it reads what
 * guests wrote.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/analysis_open.h"
#include "cmd/confined.h"
#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "code/select.h"
#include "cmd/record/recording.h"
#include "cmd/record/messages.h"
#include "model/pass.h"

/*
 * CPU time and time of the search: five times of what the slowest session seen
 * took, of mostly new addresses.
 */
#define SECONDS	      60
#define SECOND_OF_LOG 25 /* one more for each 32 MiB of records */

struct search {
	const char *dir;
	unsigned int seconds;
	struct collect_list *lists; /* in memory of both processes */
	size_t nr;
};

static __u32 find_machine(const struct resolver *r, uint32_t pid)
{
	size_t i;

	for (i = 0; i < r->guests.nr; i++)
		if (r->guests.guests[i].pid == pid)
			return 1 + i;
	return VMMPROF_NONE;
}

static int list_all(struct search *s, struct analysis *a)
{
	__u32 machine;
	int ret = 0;
	size_t i;

	for (i = 0; i < s->nr && ret >= 0; i++) {
		machine = find_machine(&a->resolver, s->lists[i].pid);
		if (machine >= a->resolver.nr_machines)
			continue;
		ret = code_select(a, machine, s->lists[i].list);
		s->lists[i].size = ret > 0 ? ret : 0;
	}
	return ret < 0;
}

/* Runs in that process, which has nothing of the recorder's open. */
static int find_hot(void *arg)
{
	static struct analysis a;
	struct search *s = arg;

	confine_files(3, NULL, 0);
	if (confine_stdio() || limits_set(0, s->seconds) ||
	    !confined_begin(record_verb(), s->dir, NULL, 0))
		return 1;
	return analysis_open(&a, s->dir, NULL, 0) ||
	       analysis_run(&a, KEEP_CODE, NULL, NULL) || list_all(s, &a);
}

/* Takes the process's result only if it is a list, for a guest that exists. */
static void copy_lists(const struct recording *r, const struct search *s,
		       struct collect_list *lists)
{
	struct code_want wants[VMMPROF_CODE_RANGES];
	size_t i;

	for (i = 0; i < s->nr; i++) {
		memcpy(&lists[i], &s->lists[i], sizeof(lists[i]));
		lists[i].pid = r->guests.guests[i].pid;
		if (lists[i].size > CODE_LIST_MAX ||
		    code_list_parse(lists[i].list, lists[i].size, wants) < 0)
			lists[i].size = 0;
	}
}

static unsigned int search_seconds(const struct recording *r)
{
	uint64_t bytes = 0;
	struct stat st;
	unsigned int i;

	for (i = 0; i < r->nr_files; i++)
		if (!fstat(r->files[i], &st))
			bytes += st.st_size;
	return SECONDS + (unsigned int)(bytes >> SECOND_OF_LOG);
}

/* The lists of all guests, or NULL; to be freed. */
static struct collect_list *search(struct recording *r)
{
	struct search s = {
		.dir = r->opts->dir,
		.seconds = search_seconds(r),
		.nr = r->guests.nr,
	};
	struct collect_list *lists = calloc(s.nr, sizeof(*lists));
	int ret, sig;
	size_t i;

	s.lists = mmap(NULL, s.nr * sizeof(*s.lists), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!lists || s.lists == MAP_FAILED) {
		free(lists);
		return NULL;
	}
	for (i = 0; i < s.nr; i++)
		s.lists[i].pid = r->guests.guests[i].pid;
	ret = confine_run_until(find_hot, NULL, &s, clock_in(s.seconds), &sig);
	if (ret)
		record_say(
			"warning: no code of guests: %s",
			ret == -EINTR ?
				"finding the hot functions takes too long" :
			ret == -EBADE ?
				"the process that reads bundles was stopped: an attack, or a bug" :
				"the session cannot be read");
	else
		copy_lists(r, &s, lists);
	munmap(s.lists, s.nr * sizeof(*s.lists));
	return lists;
}

void record_get_code(struct recording *r)
{
	struct collect *c = &r->guests;
	struct collect_list *lists = NULL;
	unsigned int i, fetched = 0;

	for (i = 0; i < c->nr; i++)
		fetched += c->guests[i].fetched && !c->guests[i].reach.error;
	if (fetched && !session_writer_flush(&r->out))
		lists = search(r);
	collect_code(c, lists, lists ? c->nr : 0);
	free(lists);
}
