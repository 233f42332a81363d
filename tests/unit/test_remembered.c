// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is remembered of samples changes no answer: with everything forgotten
 * before each sample the answers are the same, also for damaged sessions.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/resolve_parts.h"
#include "model/pass.h"

static struct analysis a, plain;

static int run(const char *format, const char *x, const char *y,
	       const char *kind, unsigned int seed)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), format, x, y, kind, seed);
	return system(cmd);
}

/* record_fn: a's answer beside one that nothing remembered had a part in. */
static int compare(struct analysis *of, void *arg, const union rec *rec,
		   const struct resolved *where)
{
	__u64 *nr = arg;
	struct resolved w, is;
	int err;

	if (rec->hdr.type == VMMPROF_REC_VCPU)
		return resolver_vcpu(&plain.resolver, &rec->vcpu);
	if (rec->hdr.type == VMMPROF_REC_IDENTITY)
		return resolver_identity(&plain.resolver, of->rec_cpu,
					 &rec->identity);
	if (!where)
		return 0;
	contexts_forget(&plain.resolver);
	err = resolve_sample(&plain.resolver, &rec->sample, NULL, &w);
	if (err)
		return err;
	if (w.slot)
		w.slot->whose = 0;
	++*nr;
	is = *where;
	if (of->resolver.bare)
		resolved_key(&rec->sample, &is);
	if (!memcmp(&w.key, &is.key, sizeof(w.key)) &&
	    w.contradiction == is.contradiction &&
	    (of->resolver.bare || w.guest_ns == is.guest_ns))
		return 0;
	printf("# sample %llu at TSC %llu\n", *nr, rec->hdr.tsc);
	return 1;
}

/* 0: all samples of the session have the same answers, with KEEP_* so. */
static int same_with(const char *dir, unsigned int keep)
{
	__u64 nr = 0;
	int ret;
	size_t i;

	memset(&a, 0, sizeof(a));
	memset(&plain, 0, sizeof(plain));
	ret = analysis_open(&a, dir, NULL, 0);
	if (!ret)
		ret = analysis_open(&plain, dir, NULL, 0);
	for (i = 0; !ret && i < plain.resolver.nr_machines; i++)
		if (plain.resolver.machines[i])
			plain.resolver.machines[i]->functions = NULL;
	if (!ret)
		ret = analysis_run(&a, keep, compare, &nr);
	for (i = 0; !ret && i < a.resolver.guests.nr; i++)
		if (a.resolver.guests.guests[i].outside !=
		    plain.resolver.guests.guests[i].outside)
			ret = 1;
	/* nearly all was remembered */
	if (!ret && nr > 1000 && 2 * a.resolver.looked_up > nr)
		ret = 1;
	analysis_close(&a);
	analysis_close(&plain);
	return nr ? ret : 1;
}

static int same(const char *dir)
{
	int ret = same_with(dir, 0);

	return ret ? ret : same_with(dir, KEEP_BARE);
}

static int all_kinds(const char *from, const char *top, unsigned int seed)
{
	static const char *const kinds[] = { "drop",  "switches", "swap",
					     "clock", "skew",	  "lost",
					     "bits",  "tasks",	  "threads" };
	char dir[64];
	size_t i;

	snprintf(dir, sizeof(dir), "%s/m", top);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (run("tests/gen/mutate.py %s %s %s %u", from, dir, kinds[i],
			seed) ||
		    same(dir) || run("rm -r %s%.0s%.0s%.0u", dir, "", "", 0)) {
			printf("# %s of %s\n", kinds[i], from);
			return 1;
		}
	}
	return 0;
}

TEST(remembered_answers_are_those_of_a_new_search)
{
	static const char *const data[] = {
		"two-guests", "svm", "unclear", "steal", "chains", "identity"
	};
	char top[] = "/tmp/vmmprof-test-XXXXXX", dir[64];
	size_t i;

	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	for (i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
		TEST_EQ(run("tests/gen/mksession.py tests/data/%s.txt %s%.0s%.0u",
			    data[i], dir, "", 0),
			0);
		TEST_EQ(same(dir), 0);
		TEST_EQ(all_kinds(dir, top, i), 0);
		TEST_EQ(run("rm -r %s%.0s%.0s%.0u", dir, "", "", 0), 0);
	}
	TEST_EQ(run("build/gen/bigsession -n 6000 -c 4 -g 3 -f 60 %s > /dev/null%.0s%.0s%.0u",
		    dir, "", "", 0),
		0);
	TEST_EQ(same(dir), 0);
	TEST_EQ(all_kinds(dir, top, 7), 0);
	return run("rm -rf %s%.0s%.0s%.0u", top, "", "", 0);
}

/* A sample's thread, of a guest without a bundle: 1 + tid, 0: not known. */
static __u32 thread_of(__u32 cpu)
{
	struct vmmprof_rec_sample s = {
		.hdr = { VMMPROF_REC_SAMPLE, sizeof(s),
			 VMMPROF_S_NMI | VMMPROF_S_VCPU | VMMPROF_S_VMCS |
				 VMMPROF_S_OWN | VMMPROF_S_STATE |
				 VMMPROF_S_GUEST,
			 1000 },
		.pid = 60,
		.tid = 61,
		.guest_ss_ar = 0x60,
		.cpu = cpu,
		.identity = 30,
	};
	struct resolved w;

	return resolve_sample(&a.resolver, &s, NULL, &w) ? ~0u : w.key.tid;
}

static int tell(__u32 cpu, __u32 tid)
{
	struct vmmprof_rec_identity r = {
		.hdr = { VMMPROF_REC_IDENTITY, sizeof(r), 0, 1000 },
		.id = 30,
		.pid = 60,
		.tgid = tid,
		.tid = tid,
	};

	return resolver_identity(&a.resolver, cpu, &r);
}

TEST(a_task_is_heeded_from_its_record_on)
{
	char top[] = "/tmp/vmmprof-test-XXXXXX", dir[64];

	if (!mkdtemp(top))
		abort();
	snprintf(dir, sizeof(dir), "%s/s", top);
	TEST_EQ(run("tests/gen/mksession.py tests/data/%s.txt %s%.0s%.0u",
		    "identity", dir, "", 0),
		0);
	memset(&a, 0, sizeof(a));
	TEST_EQ(analysis_open(&a, dir, NULL, 0), 0);
	/* its sample came first */
	TEST_EQ(thread_of(0), 0);
	TEST_EQ(tell(0, 70), 0);
	TEST_EQ(thread_of(0), 71);
	/* the number is another CPU's, too */
	TEST_EQ(thread_of(1), 0);
	TEST_EQ(tell(1, 80), 0);
	TEST_EQ(thread_of(1), 81);
	TEST_EQ(thread_of(0), 71);
	/* it is used again */
	TEST_EQ(tell(0, 90), 0);
	TEST_EQ(thread_of(0), 91);
	TEST_EQ(thread_of(1), 81);
	analysis_close(&a);
	return run("rm -rf %s%.0s%.0s%.0u", top, "", "", 0);
}

/* The name of the function at an address of sh, as the host's maps have it now. */
static const char *function_of_sh(void)
{
	struct machine *m = a.resolver.machines[0];
	struct resolve_space in = {
		.owner = 700,
		.im = procs_find(&m->procs, 700, 1000),
		.ns = 1000,
	};
	struct symbol_ref ref;

	if (resolve_in(&a.resolver, &in, true, 0x400120, &ref) ||
	    ref.func == VMMPROF_NONE)
		return "none";
	return strings_get(&a.resolver.strings, ref.func);
}

static int other_maps(const char *dir)
{
	char path[64];
	struct bundle b;
	int fd, err;

	snprintf(path, sizeof(path), "%s/host", dir);
	fd = open(path, O_RDONLY);
	err = bundle_init(&b, fd, "host", &a.session.problems);
	close(fd);
	return err ? err : resolver_set(&a.resolver, 0, &b, 1000000);
}

/* How many functions in files are remembered. */
static size_t functions(void)
{
	size_t i, nr = 0;

	for (i = 0; i < 1ul << FUNCTION_BITS; i++)
		nr += !!a.resolver.functions[i].file;
	return nr;
}

/*
 * The memory of a machine's files is used again by the next but one: with the
 * sanitizers only much later, so it is also asked for directly.
 */
TEST(functions_of_maps_that_were_replaced_are_forgotten)
{
	char top[] = "/tmp/vmmprof-test-XXXXXX", dir[2][64];
	int i;

	if (!mkdtemp(top))
		abort();
	for (i = 0; i < 2; i++)
		snprintf(dir[i], sizeof(dir[i]), "%s/%d", top, i);
	TEST_EQ(run("sed s/sh_main/sh_%s/ tests/data/%s.txt > %s.txt%.0u",
		    "other", "two-guests", top, 0),
		0);
	TEST_EQ(run("tests/gen/mksession.py tests/data/%s.txt %s%.0s%.0u",
		    "two-guests", dir[0], "", 0),
		0);
	TEST_EQ(run("tests/gen/mksession.py %s.txt %s%.0s%.0u", top, dir[1], "",
		    0),
		0);
	memset(&a, 0, sizeof(a));
	TEST_EQ(analysis_open(&a, dir[0], NULL, 0), 0);
	TEST_STR(function_of_sh(), "sh_main");
	for (i = 1; i < 8; i++) {
		TEST_EQ(functions(), 1);
		TEST_EQ(other_maps(dir[i & 1]), 0);
		TEST_EQ(functions(), 0);
		TEST_STR(function_of_sh(), i & 1 ? "sh_other" : "sh_main");
	}
	analysis_close(&a);
	return run("rm -rf %s %s.txt%.0s%.0u", top, top, "", 0);
}
