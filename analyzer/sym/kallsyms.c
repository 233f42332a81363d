// SPDX-License-Identifier: GPL-2.0-only
/* Kernel symbols from the text of /proc/kallsyms. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/search.h"
#include "sym/kallsyms.h"
#include "base/vec.h"
#include "base/sort.h"

/* The last function of a text section ends within this. */
#define MAX_FUNCTION 0x100000ull

/* The kernel's own have at most 511 bytes. */
#define MAX_NAME     4096

struct module_range {
	const char *name;
	size_t len;
	__u64 start, end;
};

struct modules {
	struct module_range *range;
	size_t nr, cap;
};

static bool ends_with(const char *s, size_t len, const char *tail)
{
	size_t n = strlen(tail);

	return len >= n && !memcmp(s + len - n, tail, n);
}

/*
 * A second name of what runs before the kernel is where it stays
 * (arch/x86/include/asm/linkage.h, SYM_PIC_ALIAS).
 */
#define EARLY "__pi_"

/* Functions before markers of sections, global before local, plain names. */
static __u8 ksym_rank(char type, const char *name, size_t len)
{
	__u8 rank = type == 'T' ? 0 : type == 'W' || type == 'w' ? 20 : 10;
	size_t i;

	for (i = 0; i < len && i < 9 && name[i] == '_'; i++)
		rank++;
	if (len > strlen(EARLY) && !memcmp(name, EARLY, strlen(EARLY)))
		rank += 30;
	if (ends_with(name, len, "text_start") ||
	    ends_with(name, len, "text_end") ||
	    ends_with(name, len, "_start") || ends_with(name, len, "_end") ||
	    (len == 5 && !memcmp(name, "_text", 5)) ||
	    (len == 6 && !memcmp(name, "_stext", 6)))
		rank += 100;
	return rank;
}

/* One line "ADDR TYPE NAME[\t[MODULE]]".  1: taken, 0: not, -ENOMEM. */
static int parse_line(struct kallsyms *k, const char *p, const char *end)
{
	struct ksym *s;
	const char *name, *tab;
	__u64 addr;
	char type;
	int ret;

	if (!hex_number(&p, end, &addr) || end - p < 4 || p[0] != ' ' ||
	    p[2] != ' ')
		return 0;
	type = p[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return 0;
	if (!addr) {
		k->hidden = true;
		return 0;
	}
	name = p + 3;
	tab = memchr(name, '\t', end - name);
	if (!tab)
		tab = end;
	if (tab == name)
		return 0;
	if (k->nr == KALLSYMS_MAX) {
		k->left++;
		return 0;
	}
	ret = vec_grow(&k->syms, &k->cap, k->nr, sizeof(*s));
	if (ret)
		return ret;
	s = &k->syms[k->nr++];
	memset(s, 0, sizeof(*s));
	s->addr = addr;
	s->name = name;
	/* The name is too long, but the function before it ends here. */
	s->name_len = tab - name <= MAX_NAME ? tab - name : 0;
	s->rank = s->name_len ? ksym_rank(type, name, s->name_len) : 255;
	if (end - tab > 3 && end - tab < 256 && tab[1] == '[' &&
	    end[-1] == ']') {
		s->module = tab + 2;
		s->module_len = end - tab - 3;
	}
	return 1;
}

/* One line of /proc/modules: "NAME SIZE REFS USERS STATE 0xADDR". */
static int parse_module(struct modules *m, const char *p, const char *end)
{
	const char *name = p, *field;
	__u64 size = 0, start;
	struct module_range r;
	int i, ret;

	p = memchr(p, ' ', end - p);
	if (!p || p == name)
		return 0;
	r.name = name;
	r.len = p - name;
	for (p++; p < end && *p >= '0' && *p <= '9'; p++)
		size = size * 10 + (*p - '0');
	/* The address comes after references, users and state. */
	for (i = 0; i < 3 && p && p < end; i++)
		p = memchr(p + 1, ' ', end - p - 1);
	if (!p || end - p < 4 || p[1] != '0' || p[2] != 'x')
		return 0;
	field = p + 3;
	if (!hex_number(&field, end, &start) || !start || start + size < start)
		return 0;
	r.start = start;
	r.end = start + size;
	ret = vec_grow(&m->range, &m->cap, m->nr, sizeof(r));
	if (!ret)
		m->range[m->nr++] = r;
	return ret;
}

static int each_line(const struct blob *text, void *arg,
		     int (*fn)(void *arg, const char *p, const char *end))
{
	const char *p = text->p, *end, *nl;
	int ret;

	if (!p)
		return 0;
	end = p + text->len;
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		ret = fn(arg, p, nl);
		if (ret < 0)
			return ret;
		if (nl == end)
			break;
	}
	return 0;
}

static int line_fn(void *arg, const char *p, const char *end)
{
	return parse_line(arg, p, end);
}

static int module_fn(void *arg, const char *p, const char *end)
{
	return parse_module(arg, p, end);
}

static int cmp_sym(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int cmp_range(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static __u64 module_end(const struct modules *m, __u64 addr)
{
	size_t lo = 0, hi = m->nr, mid;

	BISECT(lo, hi, mid, m->range[mid].start <= addr);
	return lo && addr < m->range[lo - 1].end ? m->range[lo - 1].end : 0;
}

static bool is_etext(const struct ksym *s)
{
	return s->name_len == 6 && !memcmp(s->name, "_etext", 6);
}

/* One symbol an address; each ends where the next begins, or its module. */
static void set_ends(struct kallsyms *k, const struct modules *m)
{
	struct ksym *s;
	size_t i, n = 0;
	__u64 end;

	for (i = 0; i < k->nr; i++)
		if (!n || k->syms[n - 1].addr != k->syms[i].addr)
			k->syms[n++] = k->syms[i];
	k->nr = n;
	for (i = 0; i < n; i++) {
		s = &k->syms[i];
		s->end = s->addr + MAX_FUNCTION;
		if (s->end < s->addr)
			s->end = (__u64)-1;
		if (i + 1 < n && s[1].addr < s->end)
			s->end = s[1].addr;
		end = module_end(m, s->addr);
		if (end && end < s->end)
			s->end = end;
		/* Data follows; no code runs there. */
		if (is_etext(s))
			s->end = s->addr;
	}
}

int kallsyms_init(struct kallsyms *k, const struct blob *kallsyms,
		  const struct blob *modules)
{
	struct modules m = { 0 };
	int ret;

	memset(k, 0, sizeof(*k));
	ret = each_line(kallsyms, k, line_fn);
	if (!ret)
		ret = each_line(modules, &m, module_fn);
	if (ret) {
		kallsyms_deinit(k);
		goto out;
	}
	k->hidden = k->hidden && !k->nr;
	if (m.nr)
		sort_array(m.range, m.nr, sizeof(*m.range), cmp_range);
	if (k->nr)
		sort_array(k->syms, k->nr, sizeof(*k->syms), cmp_sym);
	set_ends(k, &m);
out:
	free(m.range);
	return ret;
}

static bool equal(const struct blob *a, const struct blob *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

bool kallsyms_take(struct kallsyms *k, const struct kallsyms_text *text,
		   struct kallsyms *old, const struct kallsyms_text *old_text)
{
	const char *from = old_text->kallsyms->p, *to = text->kallsyms->p;
	size_t i;

	if (!equal(text->kallsyms, old_text->kallsyms) ||
	    !equal(text->modules, old_text->modules))
		return false;
	*k = *old;
	memset(old, 0, sizeof(*old));
	for (i = 0; i < k->nr; i++) {
		k->syms[i].name = to + (k->syms[i].name - from);
		if (k->syms[i].module)
			k->syms[i].module = to + (k->syms[i].module - from);
	}
	return true;
}

void kallsyms_deinit(struct kallsyms *k)
{
	free(k->syms);
	memset(k, 0, sizeof(*k));
}

const struct ksym *kallsyms_find(const struct kallsyms *k, __u64 addr)
{
	size_t lo = 0, hi = k->nr, mid;

	BISECT(lo, hi, mid, k->syms[mid].addr <= addr);
	if (!lo || addr >= k->syms[lo - 1].end || !k->syms[lo - 1].name_len)
		return NULL;
	return &k->syms[lo - 1];
}

bool idle_function(const char *name)
{
	static const char *const begin[] = {
		"default_idle", "native_safe_halt", "pv_native_safe_halt",
		"acpi_idle",	"acpi_safe_halt",   "mwait_idle",
		"intel_idle",	"arch_cpu_idle",    "cpuidle_idle",
		"do_idle",	"cpu_idle_poll",
	};
	size_t i;

	for (i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (*name == *begin[i] &&
		    !strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}
