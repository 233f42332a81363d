// SPDX-License-Identifier: GPL-2.0-only
/* Address -> function, in files, in the kernel, in images of processes. */

#include "build.h"
#include "test.h"
#include "model/clock.h"
#include "model/processes.h"
#include "sym/kallsyms.h"
#include "sym/strings.h"
#include "sym/symbol.h"

static struct build b;

struct sym {
	__u64 addr;
	__u32 size;
	const char *name;
};

static struct vmmprof_maps_symtab *table(const struct sym *syms, size_t n)
{
	struct vmmprof_maps_symtab t = { .nr_segments = 1, .nr_symbols = n };
	struct vmmprof_segment seg = { 0x1200, 0x401200, 0x1000 };
	struct vmmprof_symbol s;
	char strings[256] = "";
	size_t i, len = 1;

	b.size = 0;
	build_put(&b, &t, sizeof(t));
	build_put(&b, &seg, sizeof(seg));
	for (i = 0; i < n; i++) {
		s.addr = syms[i].addr;
		s.size = syms[i].size;
		s.name = len;
		strcpy(strings + len, syms[i].name);
		len += strlen(syms[i].name) + 1;
		build_put(&b, &s, sizeof(s));
	}
	build_put(&b, strings, len);
	return (void *)b.data;
}

TEST(symbols_end_where_their_size_says)
{
	static const struct sym syms[] = {
		{ 0x1000, 0x10, "a" },
		{ 0x1020, 0, "b" },
		{ 0x1040, 0x10, "c" },
		{ 0x1060, 0, "last" },
	};
	struct symbols s;

	TEST_EQ(symbols_init(&s, table(syms, 4)), 0);
	TEST_OK(!symbols_find(&s, 0xfff));
	TEST_STR(symbols_find(&s, 0x1000), "a");
	TEST_STR(symbols_find(&s, 0x100f), "a");
	TEST_OK(!symbols_find(&s, 0x1010));
	TEST_STR(symbols_find(&s, 0x103f), "b");
	TEST_STR(symbols_find(&s, 0x1040), "c");
	TEST_OK(!symbols_find(&s, 0x1050));
	TEST_OK(!symbols_find(&s, 0x1060));
	symbols_deinit(&s);
	return 0;
}

TEST(symbols_without_a_name_are_called_by_file_and_address)
{
	static const struct sym syms[] = {
		{ 0x1000, 0x10, "a" },
		{ 0x1020, 0x10, "" },
		{ 0x1030, 0x20, "" },
	};
	struct symbols s;
	char *name;

	TEST_EQ(symbols_init(&s, table(syms, 3)), 0);
	TEST_STR(symbols_find(&s, 0x102f), "");
	name = symbols_name(&s, "lib.so", 0x1001);
	TEST_STR(name, "a");
	free(name);
	TEST_OK(!symbols_name(&s, "lib.so", 0x1010));
	name = symbols_name(&s, "lib.so", 0x102f);
	TEST_STR(name, "lib.so+0x1020");
	free(name);
	name = symbols_name(&s, "lib.so", 0x1030);
	TEST_STR(name, "lib.so+0x1030");
	free(name);
	symbols_deinit(&s);
	return 0;
}

TEST(symbols_prefer_plain_names_and_inner_functions)
{
	static const struct sym syms[] = {
		{ 0x1000, 0x100, "outer" },
		{ 0x1010, 0x10, "__alias" },
		{ 0x1010, 0x10, "inner" },
		{ 0x1010, 0x10, "_alias" },
	};
	struct symbols s;

	TEST_EQ(symbols_init(&s, table(syms, 4)), 0);
	TEST_STR(symbols_find(&s, 0x1015), "inner");
	TEST_STR(symbols_find(&s, 0x1020), "outer");
	symbols_deinit(&s);
	return 0;
}

TEST(symbols_of_an_unsorted_table_are_found)
{
	static const struct sym syms[] = {
		{ 0x3000, 0x10, "c" },
		{ 0x1000, 0x10, "a" },
		{ 0x2000, 0x10, "b" },
	};
	struct symbols s;

	TEST_EQ(symbols_init(&s, table(syms, 3)), 0);
	TEST_STR(symbols_find(&s, 0x1001), "a");
	TEST_STR(symbols_find(&s, 0x2001), "b");
	TEST_STR(symbols_find(&s, 0x3001), "c");
	symbols_deinit(&s);
	return 0;
}

TEST(file_offsets_become_link_addresses)
{
	struct symbols s;
	__u64 addr;

	TEST_EQ(symbols_init(&s, table(NULL, 0)), 0);
	TEST_OK(symbols_link_addr(&s, 0x1200, &addr));
	TEST_EQ(addr, 0x401200);
	/* the same page before and after the segment's bytes */
	TEST_OK(symbols_link_addr(&s, 0x1000, &addr));
	TEST_EQ(addr, 0x401000);
	TEST_OK(symbols_link_addr(&s, 0x22ff, &addr));
	TEST_EQ(addr, 0x4022ff);
	TEST_OK(!symbols_link_addr(&s, 0xfff, &addr));
	TEST_OK(!symbols_link_addr(&s, 0x3000, &addr));
	symbols_deinit(&s);
	return 0;
}

static struct kallsyms kernel(const char *syms, const char *mods)
{
	struct blob k = { syms, strlen(syms) };
	struct blob m = { mods, strlen(mods) };
	struct kallsyms ret;

	assert(!kallsyms_init(&ret, &k, &m));
	return ret;
}

static const char *ksym(const struct kallsyms *k, __u64 addr)
{
	static char buf[64];
	const struct ksym *s = kallsyms_find(k, addr);

	if (!s)
		return "-";
	snprintf(buf, sizeof(buf), "%.*s %.*s", s->name_len, s->name,
		 s->module_len, s->module ? s->module : "");
	return buf;
}

TEST(kallsyms_have_functions_and_modules)
{
	struct kallsyms k = kernel(
		"ffffffff81000000 T _text\n"
		"ffffffff81000000 T startup_64\n"
		"ffffffff81000040 t __local\n"
		"ffffffff81000040 T Global\n"
		"ffffffff81000080 D data\n"
		"ffffffff81000100 T _etext\n"
		"ffffffffc0000f00 t tail\t[kvm]\n"
		"ffffffffc0000000 t vcpu_run\t[kvm]",
		"kvm 4096 1 - Live 0xffffffffc0000000 (O)\n");

	TEST_STR(ksym(&k, 0xffffffff81000000), "startup_64 ");
	TEST_STR(ksym(&k, 0xffffffff8100003f), "startup_64 ");
	TEST_STR(ksym(&k, 0xffffffff81000040), "Global ");
	TEST_STR(ksym(&k, 0xffffffff81000080), "Global ");
	TEST_STR(ksym(&k, 0xffffffff81000100), "-");
	TEST_STR(ksym(&k, 0xffffffffc0000800), "vcpu_run kvm");
	TEST_STR(ksym(&k, 0xffffffffc0000fff), "tail kvm");
	TEST_STR(ksym(&k, 0xffffffffc0001000), "-");
	TEST_STR(ksym(&k, 0x400000), "-");
	kallsyms_deinit(&k);
	return 0;
}

TEST(kallsyms_prefer_the_name_that_is_no_alias_of_early_code)
{
	struct kallsyms k = kernel("ffffffff81000000 T __pi___x86_thunk\n"
				   "ffffffff81000000 T __x86_thunk\n"
				   "ffffffff81000040 w memcpy\n"
				   "ffffffff81000040 W __pi_memcpy\n"
				   "ffffffff81000080 t __pi_early\n",
				   "");

	TEST_STR(ksym(&k, 0xffffffff81000000), "__x86_thunk ");
	TEST_STR(ksym(&k, 0xffffffff81000040), "memcpy ");
	TEST_STR(ksym(&k, 0xffffffff81000080), "__pi_early ");
	kallsyms_deinit(&k);
	return 0;
}

TEST(kallsyms_of_equal_texts_are_taken_over)
{
	static const char syms[] = "ffffffff81000000 T first\n"
				   "ffffffffc0000000 t second\t[kvm]\n";
	static const char mods[] = "kvm 4096 1 - Live 0xffffffffc0000000 (O)\n";
	char *again = strdup(syms), *other = strdup(syms);
	struct kallsyms old, k = { 0 };
	struct blob a = { syms, strlen(syms) }, b = { again, strlen(again) },
		    c = { other, strlen(other) }, m = { mods, strlen(mods) },
		    none = { NULL, 0 };
	struct kallsyms_text was = { &a, &m }, now = { &b, &m },
			     changed = { &c, &m }, without = { &b, &none };

	old = kernel(syms, mods);
	*strstr(other, "first") = 'w';
	TEST_OK(!kallsyms_take(&k, &changed, &old, &was));
	TEST_OK(!kallsyms_take(&k, &without, &old, &was));
	TEST_STR(ksym(&old, 0xffffffff81000000), "first ");
	TEST_OK(kallsyms_take(&k, &now, &old, &was));
	TEST_STR(ksym(&old, 0xffffffff81000000), "-");
	TEST_STR(ksym(&k, 0xffffffffc0000100), "second kvm");
	/* the names are those of the new text */
	memcpy(strstr(again, "first"), "other", 5);
	TEST_STR(ksym(&k, 0xffffffff81000000), "other ");
	kallsyms_deinit(&old);
	kallsyms_deinit(&k);
	free(again);
	free(other);
	return 0;
}

TEST(kallsyms_with_hidden_addresses_say_so)
{
	struct kallsyms k = kernel("0000000000000000 T a\n"
				   "0000000000000000 t b\n",
				   "");

	TEST_EQ(k.nr, 0);
	TEST_OK(k.hidden);
	kallsyms_deinit(&k);
	return 0;
}

TEST(kallsyms_without_end_are_cut)
{
	static const char line[] = "1 t a\n", rest[] = "7 t b\n8 t c\n";
	const size_t size = KALLSYMS_MAX * strlen(line);
	char *text = malloc(size + sizeof(rest));
	struct kallsyms k;
	size_t i;

	for (i = 0; i < KALLSYMS_MAX; i++)
		memcpy(text + i * strlen(line), line, strlen(line));
	memcpy(text + size, rest, sizeof(rest));
	k = kernel(text, "");
	TEST_EQ(k.left, 2);
	TEST_EQ(k.nr, 1);
	TEST_STR(ksym(&k, 8), "a ");
	kallsyms_deinit(&k);
	/* as many as may be */
	text[size] = '\0';
	k = kernel(text, "");
	TEST_EQ(k.left, 0);
	kallsyms_deinit(&k);
	free(text);
	return 0;
}

TEST(kallsyms_have_long_names)
{
	static char text[16384];
	struct kallsyms k;

	snprintf(text, sizeof(text),
		 "ffffffff81000000 T a\n"
		 "ffffffff81000010 T %02000d\n"
		 "ffffffff81000020 T %05000d\n"
		 "ffffffff81000030 T b\n",
		 1, 2);
	k = kernel(text, "");
	TEST_STR(ksym(&k, 0xffffffff8100000f), "a ");
	TEST_EQ(kallsyms_find(&k, 0xffffffff81000010)->name_len, 2000);
	/* unknown, and not the function before it */
	TEST_STR(ksym(&k, 0xffffffff81000020), "-");
	TEST_STR(ksym(&k, 0xffffffff81000030), "b ");
	kallsyms_deinit(&k);
	return 0;
}

TEST(kallsyms_survive_nonsense)
{
	struct kallsyms k = kernel(
		"\n\x20\nT\nffff\nffffffff81000000\n"
		"ffffffff81000000 T\n"
		"ffffffff81000000 T\x20\nzz T x\n"
		"fffffffffffffffffff T long\n"
		"ffffffff81000000 T m\t[\n"
		"ffffffff81000001 t ok\t[]\n"
		"ffffffffffffffff t top\n",
		"a\nb 1\nc 99999999999999999999 0 - Live 0xff\n\x20\n");

	TEST_STR(ksym(&k, 0xffffffff81000000), "m ");
	TEST_STR(ksym(&k, 0xffffffff81000001), "ok ");
	kallsyms_deinit(&k);
	return 0;
}

TEST(idle_functions_are_known)
{
	TEST_OK(idle_function("pv_native_safe_halt"));
	TEST_OK(idle_function("default_idle_call"));
	TEST_OK(idle_function("intel_idle_irq"));
	TEST_OK(!idle_function("schedule"));
	return 0;
}

static void put_map(__u64 ns, __u32 pid, __u64 start, __u32 file)
{
	struct vmmprof_maps_map m = { .ns = ns,
				      .start = start,
				      .end = start + 0x1000,
				      .pid = pid,
				      .file = file };

	build_item(&b, VMMPROF_MAPS_MAP, &m, sizeof(m), NULL, 0);
}

static struct procs procs;

/* File mapped at addr in pid at ns, -1: none. */
static int mapped(__u32 pid, __u64 ns, __u64 addr)
{
	const struct image *im = procs_find(&procs, pid, ns);
	const struct vmmprof_maps_map *m;
	__u64 from, end;

	m = im ? procs_find_map(&procs, im, ns, addr, &from, &end) : NULL;
	if (m && (from > ns || end <= ns))
		return -2;
	return m ? (int)m->file : -1;
}

TEST(images_end_with_exec_and_forks_inherit)
{
	struct problems p = { 0 };
	struct bundle bundle;

	build_header(&b, VMMPROF_FILE_MAPS);
	build_proc(&b, VMMPROF_OP_SNAP, 10, 1, 0, "sh");
	put_map(0, 1, 0x1000, 1);
	build_proc(&b, VMMPROF_OP_FORK, 100, 2, 1, "sh");
	put_map(150, 1, 0x5000, 5);
	build_proc(&b, VMMPROF_OP_EXEC, 200, 2, 0, "ls");
	put_map(201, 2, 0x1000, 2);
	put_map(300, 2, 0x1000, 3);
	put_map(0, 9, 0x1000, 9);
	build_end(&b);
	TEST_EQ(bundle_init_mem(&bundle, b.data, b.size, "x", &p), 0);
	TEST_EQ(procs_init(&procs, &bundle), 0);
	TEST_EQ(mapped(1, 50, 0x1800), 1);
	TEST_EQ(mapped(1, 50, 0x2000), -1);
	/* the child has its parent's as of the fork */
	TEST_EQ(mapped(2, 150, 0x1800), 1);
	/* not what the parent mapped afterwards */
	TEST_EQ(mapped(2, 160, 0x5800), -1);
	/* until its exec, whose own count from then on */
	TEST_EQ(mapped(2, 250, 0x1000), 2);
	TEST_EQ(mapped(2, 300, 0x1000), 3);
	TEST_EQ(mapped(2, 250, 0x5000), -1);
	/* seen only later, but nothing else was there */
	TEST_EQ(mapped(1, 60, 0x5000), 5);
	TEST_EQ(mapped(9, 7, 0x1000), 9);
	TEST_EQ(mapped(3, 7, 0x1000), -1);
	TEST_EQ(mapped(2, TIME_UNKNOWN - 1, 0x1000), 3);
	TEST_STR(procs_find(&procs, 2, 150)->comm, "sh");
	TEST_STR(procs_find(&procs, 2, 200)->comm, "ls");
	procs_deinit(&procs);
	bundle_deinit(&bundle);
	return 0;
}

TEST(strings_are_kept_once)
{
	struct strings t = { 0 };
	char name[16];
	__u32 i, id;

	for (i = 0; i < 5000; i++) {
		sprintf(name, "f%u", i % 1000);
		TEST_EQ(strings_add(&t, name, 16, &id), 0);
		TEST_EQ(id, i % 1000);
	}
	TEST_EQ(strings_add(&t, "f12345", 3, &id), 0);
	TEST_EQ(id, 12);
	TEST_STR(strings_get(&t, 12), "f12");
	TEST_STR(strings_get(&t, VMMPROF_NONE), "");
	strings_deinit(&t);
	return 0;
}
