// SPDX-License-Identifier: GPL-2.0-only
/* Rows of as many samples stand in the order of the texts that are shown. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "view/table.h"
#include "model/pass.h"

static struct analysis a;
static struct names names;
static size_t ties; /* neighbours of as many samples */

static int begin(unsigned int keep)
{
	static const char make[] =
		"build/gen/bigsession -n 3000 -c 4 -g 3 -v 3 -p 5 -f 40";
	char dir[] = "/tmp/vmmprof-test-XXXXXX", cmd[128];
	int ret;

	if (!mkdtemp(dir))
		abort();
	snprintf(cmd, sizeof(cmd), "%s %s/s > /dev/null", make, dir);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	memset(&a, 0, sizeof(a));
	ret = analysis_open(&a, cmd, NULL, 0);
	if (!ret)
		ret = analysis_run(&a, keep, NULL, NULL);
	if (!ret)
		ret = names_init(&names, &a);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return ret ? ret : system(cmd);
}

static int compare(const struct bucket *x, const struct bucket *y,
		   const struct selection *sel)
{
	size_t i, nr = sel->keys ? sel->nr_keys : 2;
	char s[256], t[256];
	int d = 0;

	for (i = 0; i < nr && !d; i++) {
		enum sort key = sel->keys ? sel->keys[i] : (enum sort)i;

		name_sort(&names, &x->key, key, s, sizeof(s));
		name_sort(&names, &y->key, key, t, sizeof(t));
		d = strcmp(s, t);
	}
	return d;
}

static int check(const enum sort *keys, size_t nr, __u32 machine)
{
	struct selection sel = {
		.machine = machine,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.keys = nr ? keys : NULL,
		.nr_keys = nr,
	};
	const struct bucket *b;
	struct table t;
	size_t i;

	TEST_EQ(table_init(&t, &names, &sel), 0);
	TEST_OK(t.rows.nr > 1);
	for (i = 1; i < t.rows.nr; i++) {
		b = &t.rows.buckets[i];
		TEST_OK(b[-1].samples >= b->samples);
		if (b[-1].samples != b->samples)
			continue;
		ties++;
		TEST_OK(compare(&b[-1], b, &sel) <= 0);
	}
	table_deinit(&t);
	return 0;
}

/* Of each key alone, and of each behind, or before, another one. */
TEST(rows_of_as_many_samples_are_in_the_order_of_their_texts)
{
	enum sort keys[3];
	unsigned int i, k, machine;

	TEST_EQ(begin(KEEP_CPU | KEEP_EXIT | KEEP_ADDR | KEEP_TID), 0);
	for (machine = 0; machine < 2; machine++) {
		if (check(NULL, 0, machine))
			return 1;
		for (i = 0; i < SORT_PARENT; i++) {
			for (k = 0; k < SORT_PARENT; k++) {
				keys[0] = i;
				keys[1] = k;
				keys[2] = SORT_FUNCTION;
				if (check(keys, 3, machine))
					return 1;
			}
		}
	}
	TEST_OK(ties > 1000);
	names_deinit(&names);
	analysis_close(&a);
	return 0;
}

/* A copy of the names starts no process that nobody knows of. */
TEST(copies_of_names_share_a_demangler)
{
	struct bucket_key key = { 0 };
	struct names copy;
	char text[64];

	TEST_EQ(begin(0), 0);
	names_deinit(&names);
	TEST_EQ(strings_add(&a.resolver.strings, "_Z7workingi", 12, &key.func),
		0);
	TEST_EQ(names_init(&names, &a), 0);
	copy = names;
	name_function(&copy, &key, text, sizeof(text));
	TEST_STR(text, "working");
	names_deinit(&names);
	analysis_close(&a);
	TEST_EQ(waitpid(-1, NULL, WNOHANG), -1);
	TEST_EQ(errno, ECHILD);
	return 0;
}
