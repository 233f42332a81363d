// SPDX-License-Identifier: GPL-2.0-only
/* Which code of a guest is asked for: what is hottest, within bounds. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "code/select.h"
#include "model/pass.h"

static char top[64];
static char list[CODE_LIST_MAX + 1];

/* The list of machine 1 of the session that a file describes. */
static int want(const char *description)
{
	struct analysis a;
	char cmd[256], dir[96];
	int len = -EINVAL;

	snprintf(dir, sizeof(dir), "%s/s", top);
	snprintf(cmd, sizeof(cmd), "rm -rf %s; tests/gen/mksession.py %s %s",
		 dir, description, dir);
	if (system(cmd))
		abort();
	memset(list, 0, sizeof(list));
	memset(&a, 0, sizeof(a));
	if (!analysis_open(&a, dir, NULL, 0) &&
	    !analysis_run(&a, KEEP_CODE, NULL, NULL))
		len = code_select(&a, 1, list);
	analysis_close(&a);
	return len;
}

static void begin(void)
{
	strcpy(top, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(top))
		abort();
}

static void end(void)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	if (system(cmd))
		abort();
}

TEST(hot_functions_of_files_and_of_the_kernel_are_wanted)
{
	begin();
	/* the kernel's last symbol: how long it is, is not known */
	TEST_EQ(want("tests/data/small.txt"), strlen(list));
	TEST_STR(list, "kernel ffffffff91000000 32768\n1 0 4096\n");
	/* most samples first, those of two processes together */
	TEST_OK(want("tests/data/two-guests.txt") > 0);
	TEST_STR(list, "2 1000 256\n2 1100 256\n3 100 256\n1 1000 256\n"
		       "kernel ffffffffa1000000 256\n"
		       "kernel ffffffffa1000100 128\n"
		       "kernel ffffffffa1000180 128\n");
	end();
	return 0;
}

/* 600 functions of @size bytes, each with a sample more than the one before. */
static void describe(unsigned int size)
{
	char path[96];
	int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/d", top);
	f = fopen(path, "w");
	fputs("file info\n  event index=0 period=1 name=cycles\n"
	      "  vm pid=50 nr_vcpus=1 name=vm1\n  guest pid=50 name=vm1\n"
	      "  end\nfile guests/vm1.bundle\n"
	      "  text from=watch phys_mask=0xfffffffffe000\n"
	      "  clock tsc=0 mono=0\n  mm op=snap ns=0 key=0x2000 pid=7 comm=w\n"
	      "  proc op=snap ns=0 pid=7 comm=w\n  file_item id=1 path=/bin/w\n"
	      "  map pid=7 start=0x10000000 end=0x20000000 file=1\n"
	      "  symtab file=1 seg=0:0x400000:0x10000000 sym=",
	      f);
	for (i = 0; i < 600; i++)
		fprintf(f, "%s0x%x:%u:f%d", i ? "," : "", 0x400000 + i * size,
			size, i);
	fputs("\n  end\nfile cpu-0.rec\n"
	      "  vcpu tsc=1 pid=50 tid=51 id=0 offset=0 vpid=1\n",
	      f);
	for (i = 0; i < 600; i++)
		fprintf(f,
			"  sample tsc=%d flags=NVMSOGH handling=2 intr=0x80000202 cpl=3 cr3=0x2000 gip=0x%x pid=50 tid=51 repeat=%d step=1\n",
			1000 + 1000 * i, 0x10000000 + i * size, i + 1);
	fclose(f);
}

TEST(no_more_is_wanted_than_may_be_asked_for)
{
	static struct code_want wants[VMMPROF_CODE_RANGES];
	char path[96];
	int i;

	begin();
	snprintf(path, sizeof(path), "%s/d", top);
	describe(64);
	TEST_EQ(code_list_parse(list, want(path), wants), 256);
	for (i = 0; i < 256; i++)
		TEST_OK(wants[i].file == 1 && wants[i].size == 64 &&
			wants[i].addr == (599u - i) * 64);
	/* 1 MiB */
	describe(100000);
	TEST_EQ(code_list_parse(list, want(path), wants), 10);
	TEST_EQ(wants[0].addr, 599 * 100000);
	/* the beginning of large ones */
	describe(400000);
	TEST_EQ(code_list_parse(list, want(path), wants), 4);
	TEST_EQ(wants[3].size, 262144);
	end();
	return 0;
}
