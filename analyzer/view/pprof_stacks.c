// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles for stores (github.com/google/pprof, proto/profile.proto).  A store
 * counts the bytes of a profile unpacked, so what is written is counted before.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/saturate.h"
#include "model/chain_frame.h"
#include "view/pprof_stacks.h"
#include "view/proto.h"

/* At most of each message, with its head, and of a text beside its bytes. */
enum {
	NUMBER_BYTES = 6, /* a field of 32 bits */
	LOCATION_BYTES = 32,
	FUNCTION_BYTES = 24,
	MAPPING_BYTES = 24,
	SAMPLE_BYTES = 20, /* and its locations */
	TEXT_BYTES = 6,
	END_BYTES = 4096 /* all that is there once, and [other] */
};

/* The string table: these, then names in the order of their use. */
enum { TEXT_EMPTY, TEXT_TYPE, TEXT_NANOSECONDS, NR_TEXTS };

struct writer {
	const struct pprof_head *h;
	struct stack_list *l;
	FILE *out;     /* not yet packed */
	__u32 *texts;  /* by name: index in the string table, 0: none yet */
	__u32 *order;  /* names by that index - NR_TEXTS */
	__u32 *places; /* by frame: id of its location, 0 */
	__u32 *files;  /* by name: id of its mapping, 0 */
	__u32 nr_texts, nr_places, nr_files;
	__u64 bytes; /* at most, of what is written */
};

static void put_field(struct writer *w, unsigned int field,
		      const struct proto *m)
{
	struct proto head = { 0 };

	proto_head(&head, field, m->size);
	fwrite(head.data, 1, head.size, w->out);
	fwrite(m->data, 1, m->size, w->out);
}

static void put_number(struct writer *w, unsigned int field, __u64 v)
{
	struct proto m = { 0 };

	proto_number(&m, field, v);
	fwrite(m.data, 1, m.size, w->out);
}

/* ValueType: type = 1, unit = 2 */
static void put_type(struct writer *w, unsigned int field)
{
	struct proto m = { 0 };

	proto_number(&m, 1, TEXT_TYPE);
	proto_number(&m, 2, TEXT_NANOSECONDS);
	put_field(w, field, &m);
}

/* Profile.string_table = 6 */
static void put_text(struct writer *w, const char *text)
{
	struct proto head = { 0 };

	proto_head(&head, 6, strlen(text));
	fwrite(head.data, 1, head.size, w->out);
	fputs(text, w->out);
}

static __u64 text_cost(const struct writer *w, __u32 name)
{
	if (name == VMMPROF_NONE || w->texts[name])
		return 0;
	return TEXT_BYTES + strlen(strings_get(&w->l->names, name));
}

static __u32 text_of(struct writer *w, __u32 name)
{
	if (!w->texts[name]) {
		w->order[w->nr_texts] = name;
		w->texts[name] = NR_TEXTS + w->nr_texts++;
	}
	return w->texts[name];
}

/*
 * Mapping: id = 1, filename = 5, has_functions = 7 and three more: so that
 * nothing is looked up.
 */
static __u32 mapping_of(struct writer *w, __u32 module)
{
	struct proto m = { 0 };
	unsigned int i;

	if (w->files[module])
		return w->files[module];
	w->files[module] = ++w->nr_files;
	proto_number(&m, 1, w->nr_files);
	proto_number(&m, 5, text_of(w, module));
	for (i = 7; i <= 10; i++)
		proto_number(&m, i, 1);
	put_field(w, 3, &m);
	return w->nr_files;
}

/*
 * Location: id = 1, mapping_id = 2, line = 4; Line: function_id = 1;
 * Function: id = 1, name = 2, system_name = 3, filename = 4
 */
static __u32 place_of(struct writer *w, __u32 frame)
{
	const struct stack_frame *f = &w->l->frames[frame];
	struct proto line = { 0 }, m = { 0 }, function = { 0 };
	__u32 id;

	if (w->places[frame])
		return w->places[frame];
	id = ++w->nr_places;
	w->places[frame] = id;
	proto_number(&line, 1, id);
	proto_number(&m, 1, id);
	if (f->module != VMMPROF_NONE)
		proto_number(&m, 2, mapping_of(w, f->module));
	proto_bytes(&m, 4, line.data, line.size);
	put_field(w, 4, &m);
	proto_number(&function, 1, id);
	proto_number(&function, 2, text_of(w, f->function));
	proto_number(&function, 3, text_of(w, f->function));
	put_field(w, 5, &function);
	return id;
}

/* What a stack adds, at most. */
static __u64 cost(const struct writer *w, const struct stack_time *s)
{
	__u64 bytes = SAMPLE_BYTES + (__u64)NUMBER_BYTES * s->nr;
	const struct stack_frame *f;
	__u32 i, frame;

	for (i = 0; i < s->nr; i++) {
		frame = w->l->path[s->at + i];
		f = &w->l->frames[frame];
		if (w->places[frame])
			continue;
		bytes += LOCATION_BYTES + FUNCTION_BYTES +
			 text_cost(w, f->function);
		if (f->module != VMMPROF_NONE && !w->files[f->module])
			bytes += MAPPING_BYTES + text_cost(w, f->module);
	}
	return bytes;
}

/* Sample: location_id = 1, value = 2; a stack may be larger than a message. */
static void put_stack(struct writer *w, const __u32 *frames, __u32 nr, __u64 ns)
{
	struct proto head = { 0 }, value = { 0 }, m;
	size_t size = 0;
	__u32 i;

	for (i = 0; i < nr; i++) {
		m.size = 0;
		proto_number(&m, 1, place_of(w, frames[i]));
		size += m.size;
	}
	proto_number(&value, 2, ns);
	proto_head(&head, 2, size + value.size);
	fwrite(head.data, 1, head.size, w->out);
	for (i = 0; i < nr; i++) {
		m.size = 0;
		proto_number(&m, 1, place_of(w, frames[i]));
		fwrite(m.data, 1, m.size, w->out);
	}
	fwrite(value.data, 1, value.size, w->out);
}

/* As many as fit; the others are one. */
static void put_stacks(struct writer *w, const __u32 *other,
		       struct pprof_size *size)
{
	struct stack_list *l = w->l;
	/* the last one is [other]'s, if there are too many */
	size_t room = PPROF_STACKS_MAX - (l->nr > PPROF_STACKS_MAX ? 1 : 0), i;
	const struct stack_time *s;

	for (i = 0; i < l->nr; i++) {
		s = &l->stacks[i];
		if (i >= room || w->bytes + cost(w, s) > PPROF_BYTES_MAX)
			break;
		w->bytes += cost(w, s);
		put_stack(w, l->path + s->at, s->nr, s->ns);
		size->stacks++;
	}
	for (; i < l->nr; i++) {
		size->folded++;
		sat_sum(&size->folded_ns, l->stacks[i].ns);
	}
	if (!size->folded)
		return;
	put_stack(w, other, 2, size->folded_ns);
	size->stacks++;
}

/*
 * Profile: sample_type = 1, time_nanos = 9, duration_nanos = 10,
 * period_type = 11, period = 12
 */
static void put_profile(struct writer *w, const __u32 *other,
			struct pprof_size *size)
{
	__u32 i;

	w->bytes = END_BYTES;
	put_type(w, 1);
	put_stacks(w, other, size);
	put_number(w, 9, w->h->real_ns);
	put_number(w, 10, w->h->duration_ns);
	put_type(w, 11);
	put_number(w, 12, w->h->period_ns);
	put_text(w, "");
	put_text(w, w->h->type);
	put_text(w, "nanoseconds");
	for (i = 0; i < w->nr_texts; i++)
		put_text(w, strings_get(&w->l->names, w->order[i]));
}

/* As a file of gzip(1). */
static int pack(const void *data, size_t size, FILE *out)
{
	z_stream z = { .next_in = (void *)data, .avail_in = size };
	unsigned char buf[16384];
	int ret;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		ret = deflate(&z, Z_FINISH);
		fwrite(buf, 1, sizeof(buf) - z.avail_out, out);
	} while (ret == Z_OK);
	deflateEnd(&z);
	return ret != Z_STREAM_END || ferror(out) ? -EIO : 0;
}

static int writer_init(struct writer *w)
{
	size_t names = w->l->names.nr + 1;

	w->texts = calloc(names, sizeof(*w->texts));
	w->order = calloc(names, sizeof(*w->order));
	w->files = calloc(names, sizeof(*w->files));
	w->places = calloc(w->l->nr_frames + 1, sizeof(*w->places));
	return w->texts && w->order && w->files && w->places ? 0 : -ENOMEM;
}

int pprof_stacks_put(struct stack_list *l, const struct pprof_head *h,
		     struct pprof_size *size, FILE *out)
{
	struct writer w = { .h = h, .l = l };
	char *plain = NULL;
	size_t bytes = 0;
	__u32 other[2];
	int ret;

	memset(size, 0, sizeof(*size));
	ret = stack_list_frame(l, "[other]", NULL, &other[0]);
	if (!ret)
		ret = stack_list_frame(l, h->root, NULL, &other[1]);
	if (!ret)
		ret = writer_init(&w);
	if (!ret)
		w.out = open_memstream(&plain, &bytes);
	if (!ret && !w.out)
		ret = -ENOMEM;
	if (!ret) {
		stack_list_sort(l);
		put_profile(&w, other, size);
		ret = ferror(w.out) ? -ENOMEM : 0;
	}
	if (w.out && fclose(w.out) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = pack(plain, bytes, out);
	free(plain);
	free(w.texts);
	free(w.order);
	free(w.files);
	free(w.places);
	return ret;
}
