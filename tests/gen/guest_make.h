/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a guest and a kernel's symbol tables, made up for tests. */
#ifndef GUEST_MAKE_H
#define GUEST_MAKE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "introspect/guest_space.h"

#define MADE_SIZE   (8u << 20)
#define MADE_ROOT   0x1000ull
#define MADE_DIRECT 0xffff888000000000ull /* + a physical address */
#define MADE_FREE   0x10000ull		  /* page tables are below */

enum { P = 1, W = 2, U = 4, LARGE = 0x80 };
#define NX 0x8000000000000000ull

/* A guest's memory in a file, which is seen at mem. */
struct made {
	__u8 *mem;
	struct guest_memory guest;
	struct guest_space space;
	int fd;
};

static inline void made_word(struct made *m, __u64 gpa, __u64 value)
{
	memcpy(m->mem + gpa, &value, sizeof(value));
}

/* A page table entry. */
static inline void made_entry(struct made *m, __u64 table, unsigned int i,
			      __u64 value)
{
	made_word(m, table + i * 8, value);
}

/* With a direct map of all of it in a page of 1 GiB.  0 or -errno. */
static inline int made_init(struct made *m)
{
	const struct guest_slot slots[] = {
		{ 0x100000, MADE_SIZE - 0x100000, 0x100000 },
		{ 0, 0x100000, 0 },
	};
	char path[40];
	int fd = memfd_create("made", 0), err;

	if (ftruncate(fd, MADE_SIZE))
		return -1;
	m->mem = mmap(NULL, MADE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	m->fd = open(path, O_RDONLY);
	close(fd);
	err = guest_memory_init(&m->guest, m->fd, slots, 2);
	m->space = (struct guest_space){ .mem = &m->guest, .root = MADE_ROOT };
	made_entry(m, MADE_ROOT, 0x111, 0x2000 | P | W);
	made_entry(m, 0x2000, 0, 0 | P | W | LARGE | NX);
	return err;
}

static inline void made_deinit(struct made *m)
{
	guest_memory_deinit(&m->guest);
	munmap(m->mem, MADE_SIZE);
	close(m->fd);
}

/* The forms of a kernel's own symbols (introspect/kallsyms_tables.h). */
enum kallsyms_form { FORM_5_10, FORM_6_2, FORM_6_4, FORM_6_15, FORM_7_0 };

struct made_kallsyms {
	__u8 data[65536];
	size_t used;
	__u64 va; /* of data */
	unsigned int nr, nr_percpu;
	size_t num_syms, names, markers, tokens, index, offsets, base;
};

static inline void made_put(struct made_kallsyms *k, const void *p, size_t n)
{
	memcpy(k->data + k->used, p, n);
	k->used += n;
}

static inline size_t made_align(struct made_kallsyms *k, size_t to)
{
	while (k->used % to)
		k->data[k->used++] = 0;
	return k->used;
}

static inline __u64 made_address(const struct made_kallsyms *k, unsigned int i)
{
	return i < k->nr_percpu ? i * 64 : 0xffffffff91000000ull + i * 16;
}

static inline void made_offsets(struct made_kallsyms *k,
				enum kallsyms_form form, size_t to)
{
	const __u64 base = 0xffffffff91000000ull;
	unsigned int i;

	k->offsets = made_align(k, to);
	for (i = 0; i < k->nr; i++) {
		__u64 addr = made_address(k, i);
		__u32 v = addr - base;

		if (form == FORM_7_0)
			v = addr - (k->va + k->used);
		else if (form < FORM_6_15)
			v = i < k->nr_percpu ? addr : base - 1 - addr;
		made_put(k, &v, 4);
	}
	if (form == FORM_7_0)
		return;
	k->base = made_align(k, 8);
	made_put(k, &base, 8);
}

/* Symbol i is "f_NUMBER", where 0xf0 is the token "f_"; 0xf1 is "Tlong". */
static inline void made_names(struct made_kallsyms *k, enum kallsyms_form form)
{
	const size_t to = form == FORM_7_0 ? 4 : 8;
	__u32 markers[64] = { 0 }, zero = 0;
	unsigned int i;

	k->num_syms = made_align(k, to);
	made_put(k, &k->nr, 4);
	k->names = made_align(k, to);
	for (i = 0; i < k->nr; i++) {
		char name[700];
		__u8 len[2];
		int n = sprintf(name, "%c\xf0%u",
				i < k->nr_percpu ? 'A' : "tTdw"[i % 4], i);

		/* From 6.1 on names may have more than 127 bytes. */
		if (form != FORM_5_10 && i == 7) {
			n = 300;
			memset(name, '\xf0', n);
			name[0] = '\xf1';
		}
		if (i % 256 == 0)
			markers[i / 256] = k->used - k->names;
		len[0] = n > 127 ? (n & 0x7f) | 0x80 : n;
		len[1] = n >> 7;
		made_put(k, len, n > 127 ? 2 : 1);
		made_put(k, name, n);
	}
	k->markers = made_align(k, to);
	made_put(k, markers, (k->nr + 255) / 256 * 4);
	made_align(k, to);
	for (i = 0; form == FORM_6_2 && i < k->nr; i++)
		made_put(k, &zero, 3);
}

static inline void made_tokens(struct made_kallsyms *k, size_t to)
{
	__u16 index[256];
	int i;

	k->tokens = made_align(k, to);
	for (i = 0; i < 256; i++) {
		char text[8] = { (char)i };

		if (i == 0xf0)
			strcpy(text, "f_");
		if (i == 0xf1)
			strcpy(text, "Tlong");
		index[i] = k->used - k->tokens;
		made_put(k, text, strlen(text) + 1);
	}
	k->index = made_align(k, to);
	made_put(k, index, sizeof(index));
}

static inline void made_kallsyms(struct made_kallsyms *k,
				 enum kallsyms_form form, unsigned int nr,
				 unsigned int nr_percpu)
{
	const size_t to = form == FORM_7_0 ? 4 : 8;
	const char before[200] = "Linux version of a test";

	memset(k, 0, sizeof(*k));
	k->va = 0xffffffff91800000ull;
	k->nr = nr;
	k->nr_percpu = form < FORM_6_15 ? nr_percpu : 0;
	made_put(k, before, sizeof(before));
	if (form < FORM_6_4)
		made_offsets(k, form, to);
	made_names(k, form);
	made_tokens(k, to);
	if (form >= FORM_6_4)
		made_offsets(k, form, to);
	made_put(k, before, sizeof(before));
}

#endif /* GUEST_MAKE_H */
