// SPDX-License-Identifier: GPL-2.0-only
/* Reads a guest's physical memory. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/search.h"
#include "base/sort.h"
#include "introspect/guest_memory.h"

struct guest_table {
	__u64 gpa;
	bool valid;
	__u64 entry[GUEST_PAGE / 8];
};

static int by_gpa(const void *pa, const void *pb)
{
	const struct guest_slot *a = pa, *b = pb;

	return a->gpa < b->gpa ? -1 : a->gpa > b->gpa;
}

/* Sorted slots of whole pages that neither overlap nor wrap? */
static bool slots_fine(const struct guest_slot *s, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!s[i].size || (s[i].gpa | s[i].size | s[i].at) % GUEST_PAGE)
			return false;
		if (s[i].gpa + s[i].size < s[i].gpa ||
		    s[i].at + s[i].size < s[i].at ||
		    (s[i].at + s[i].size) >> 63)
			return false;
		if (i && s[i - 1].gpa + s[i - 1].size > s[i].gpa)
			return false;
	}
	return true;
}

int guest_memory_init(struct guest_memory *ret, int fd,
		      const struct guest_slot *slots, size_t nr)
{
	int flags = fcntl(fd, F_GETFL);

	memset(ret, 0, sizeof(*ret));
	if (flags < 0)
		return -errno;
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EPERM;
	if (!nr || nr > GUEST_SLOTS_MAX)
		return -EINVAL;
	ret->slots = malloc(nr * sizeof(*slots));
	ret->tables = calloc(GUEST_TABLES, sizeof(*ret->tables));
	if (!ret->slots || !ret->tables) {
		guest_memory_deinit(ret);
		return -ENOMEM;
	}
	memcpy(ret->slots, slots, nr * sizeof(*slots));
	sort_array(ret->slots, nr, sizeof(*slots), by_gpa);
	if (!slots_fine(ret->slots, nr)) {
		guest_memory_deinit(ret);
		return -EINVAL;
	}
	ret->fd = fd;
	ret->nr_slots = nr;
	guest_memory_budget(ret, GUEST_READS, GUEST_READ_BYTES);
	return 0;
}

void guest_memory_deinit(struct guest_memory *m)
{
	free(m->slots);
	free(m->tables);
	memset(m, 0, sizeof(*m));
}

void guest_memory_budget(struct guest_memory *m, __u64 reads, __u64 bytes)
{
	m->reads = reads;
	m->bytes = bytes;
}

void guest_memory_part(struct guest_memory *m, __u64 reads, __u64 bytes,
		       struct guest_budget *rest)
{
	reads = reads < m->reads ? reads : m->reads;
	bytes = bytes < m->bytes ? bytes : m->bytes;
	*rest = (struct guest_budget){ m->reads - reads, m->bytes - bytes };
	guest_memory_budget(m, reads, bytes);
}

void guest_memory_whole(struct guest_memory *m, const struct guest_budget *rest)
{
	guest_memory_budget(m, m->reads + rest->reads, m->bytes + rest->bytes);
}

/* The slot that @gpa is in, or NULL. */
static const struct guest_slot *find_slot(const struct guest_memory *m,
					  __u64 gpa)
{
	size_t low = 0, high = m->nr_slots, mid;
	const struct guest_slot *s;

	BISECT(low, high, mid, m->slots[mid].gpa <= gpa);
	if (!low)
		return NULL;
	s = &m->slots[low - 1];
	return gpa - s->gpa < s->size ? s : NULL;
}

int guest_memory_read(struct guest_memory *m, __u64 gpa, void *buf, size_t size)
{
	char *to = buf;

	while (size) {
		const struct guest_slot *s = find_slot(m, gpa);
		size_t part;

		if (!s)
			return -EFAULT;
		part = s->size - (gpa - s->gpa) < size ?
			       s->size - (gpa - s->gpa) :
			       size;
		if (!m->reads || m->bytes < part)
			return -EDQUOT;
		m->reads--;
		m->bytes -= part;
		if (io_pread(m->fd, to, part, s->at + (gpa - s->gpa)) !=
		    (ssize_t)part)
			return -ENODATA;
		to += part;
		gpa += part;
		size -= part;
	}
	return 0;
}

int guest_memory_entry(struct guest_memory *m, __u64 gpa, __u64 *ret)
{
	__u64 page = gpa & -(__u64)GUEST_PAGE;
	struct guest_table *t = &m->tables[page / GUEST_PAGE % GUEST_TABLES];
	int err;

	if (gpa % 8)
		return -EFAULT;
	if (!t->valid || t->gpa != page) {
		t->valid = false;
		err = guest_memory_read(m, page, t->entry, sizeof(t->entry));
		if (err)
			return err;
		t->gpa = page;
		t->valid = true;
	}
	*ret = t->entry[gpa % GUEST_PAGE / 8];
	return 0;
}

void guest_memory_forget(struct guest_memory *m)
{
	int i;

	for (i = 0; i < GUEST_TABLES; i++)
		m->tables[i].valid = false;
}
