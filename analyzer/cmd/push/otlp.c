// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles to an OpenTelemetry Collector, or what has OTLP by HTTP: an
 * ExportProfilesServiceRequest of opentelemetry-proto 1.11 (opentelemetry/proto/
 * collector/profiles/v1development, which may change until it is stable).
 *
 * Its tables are pprof's, with an empty element before the first: so the ids of a
 * profile, which count from 1, are their indices.  Texts count from 0 in both.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/push/api.h"
#include "cmd/push/pprof_read.h"
#include "view/proto.h"
#include <vmmprof/version.h>

/* ProfilesDictionary */
enum {
	DICT_MAPPING = 1,
	DICT_LOCATION = 2,
	DICT_FUNCTION = 3,
	DICT_LINK = 4,
	DICT_TEXT = 5,
	DICT_ATTRIBUTE = 6,
	DICT_STACK = 7,
};

struct otlp {
	const struct pprof *p;
	FILE *dict;    /* the tables, as fields of the dictionary */
	FILE *samples; /* as fields of the profile */
	__u32 seen;    /* elements of the table that is being written */
};

static void put(FILE *out, const struct proto *m)
{
	fwrite(m->data, 1, m->size, out);
}

static void put_bytes(FILE *out, unsigned int field, const void *data,
		      size_t size)
{
	struct proto head = { 0 };

	proto_head(&head, field, size);
	put(out, &head);
	fwrite(data, 1, size, out);
}

static void put_message(FILE *out, unsigned int field, const struct proto *m)
{
	put_bytes(out, field, m->data, m->size);
}

/* An id or a text, of which there are so many. */
static bool is_one(const struct otlp *o, enum pprof_part part, __u64 v)
{
	return part == PPROF_TEXT ? v < o->p->nr[part] :
				    v && v <= o->p->nr[part];
}

/* pprof's Mapping: id = 1, filename = 5; 7 to 10 say what has been resolved */
static int put_mapping(void *arg, struct proto_bytes b)
{
	struct proto to = { 0 };
	struct otlp *o = arg;
	struct proto_field f;

	o->seen++;
	while (proto_next(&b, &f)) {
		if (f.is_bytes || (f.nr == 1 && f.value != o->seen))
			return -EINVAL;
		if (f.nr != 5)
			continue;
		if (to.size || !is_one(o, PPROF_TEXT, f.value))
			return -EINVAL;
		proto_number(&to, 4, f.value);
	}
	put_message(o->dict, DICT_MAPPING, &to);
	return b.at == b.end ? 0 : -EINVAL;
}

/* pprof's Line: function_id = 1 */
static int put_line(const struct otlp *o, struct proto_bytes b,
		    struct proto *location)
{
	struct proto to = { 0 };
	struct proto_field f;

	if (!proto_next(&b, &f) || f.is_bytes || f.nr != 1 || b.at != b.end ||
	    !is_one(o, PPROF_FUNCTION, f.value))
		return -EINVAL;
	proto_number(&to, 1, f.value);
	proto_bytes(location, 3, to.data, to.size);
	return 0;
}

/* pprof's Location: id = 1, mapping_id = 2, line = 4 */
static int put_location(void *arg, struct proto_bytes b)
{
	struct proto to = { 0 };
	bool line = false;
	struct otlp *o = arg;
	struct proto_field f;

	o->seen++;
	while (proto_next(&b, &f)) {
		if (f.nr == 1 && !f.is_bytes && f.value == o->seen)
			continue;
		if (f.nr == 2 && !f.is_bytes && !to.size &&
		    is_one(o, PPROF_MAPPING, f.value))
			proto_number(&to, 1, f.value);
		else if (f.nr == 4 && f.is_bytes && !line &&
			 !put_line(o, f.bytes, &to))
			line = true;
		else
			return -EINVAL;
	}
	put_message(o->dict, DICT_LOCATION, &to);
	return b.at == b.end ? 0 : -EINVAL;
}

/* pprof's Function: id = 1, name = 2, system_name = 3 */
static int put_function(void *arg, struct proto_bytes b)
{
	__u64 of[4] = { 0 };
	struct proto to = { 0 };
	struct otlp *o = arg;
	struct proto_field f;

	o->seen++;
	while (proto_next(&b, &f)) {
		if (f.is_bytes || !f.nr || f.nr > 3)
			return -EINVAL;
		of[f.nr] = f.value;
	}
	if (b.at != b.end || of[1] != o->seen ||
	    !is_one(o, PPROF_TEXT, of[2]) || !is_one(o, PPROF_TEXT, of[3]))
		return -EINVAL;
	proto_number(&to, 1, of[2]);
	proto_number(&to, 2, of[3]);
	put_message(o->dict, DICT_FUNCTION, &to);
	return 0;
}

static int put_text(void *arg, struct proto_bytes b)
{
	struct otlp *o = arg;

	/* what both formats begin with */
	if (!o->seen++ && b.at != b.end)
		return -EINVAL;
	put_bytes(o->dict, DICT_TEXT, b.at, b.end - b.at);
	return 0;
}

/*
 * pprof's Sample: location_id = 1, one at a time and the leaf first, value = 2.
 * Sample: stack_index = 1, values = 4; Stack: location_indices = 1; numbers of a
 * list are one field.
 */
static int put_sample(void *arg, struct proto_bytes b)
{
	struct proto head = { 0 }, to = { 0 }, one;
	struct proto_bytes again = b;
	struct otlp *o = arg;
	struct proto_field f;
	__u64 value = 0;
	size_t size = 0;

	o->seen++;
	while (proto_next(&b, &f)) {
		one.size = 0;
		proto_varint(&one, f.value);
		if (f.nr == 1 && !f.is_bytes &&
		    is_one(o, PPROF_LOCATION, f.value))
			size += one.size;
		else if (f.nr == 2 && !f.is_bytes && !value)
			value = f.value;
		else
			return -EINVAL;
	}
	if (b.at != b.end)
		return -EINVAL;
	proto_head(&head, 1, size);
	proto_head(&to, DICT_STACK, head.size + size);
	put(o->dict, &to);
	put(o->dict, &head);
	while (proto_next(&again, &f)) {
		one.size = 0;
		proto_varint(&one, f.value);
		if (f.nr == 1)
			put(o->dict, &one);
	}
	one.size = 0;
	proto_varint(&one, value);
	to.size = 0;
	proto_number(&to, 1, o->seen);
	proto_bytes(&to, 4, one.data, one.size);
	put_message(o->samples, 2, &to);
	return 0;
}

/* The element 0 of each table, then pprof's. */
static int put_tables(struct otlp *o)
{
	static const struct {
		unsigned int table;
		enum pprof_part part;
		pprof_fn fn;
	} tables[] = {
		{ DICT_MAPPING, PPROF_MAPPING, put_mapping },
		{ DICT_LOCATION, PPROF_LOCATION, put_location },
		{ DICT_FUNCTION, PPROF_FUNCTION, put_function },
		{ DICT_LINK, NR_PPROF_PARTS, NULL },
		{ 0, PPROF_TEXT, put_text },
		{ DICT_ATTRIBUTE, NR_PPROF_PARTS, NULL },
		{ DICT_STACK, PPROF_SAMPLE, put_sample },
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(tables) / sizeof(*tables) && !ret; i++) {
		if (tables[i].table)
			put_bytes(o->dict, tables[i].table, "", 0);
		o->seen = 0;
		if (tables[i].fn)
			ret = pprof_each(o->p, tables[i].part, tables[i].fn, o);
	}
	return ret;
}

/* ValueType: type_strindex = 1, unit_strindex = 2 */
static void put_type(FILE *out, unsigned int field, const struct pprof *p)
{
	struct proto m = { 0 };

	proto_number(&m, 1, p->type);
	proto_number(&m, 2, p->unit);
	put_message(out, field, &m);
}

/* Profile: its samples are in @samples. */
static void put_profile(FILE *out, const struct pprof *p,
			const struct window_profile *w, const void *samples,
			size_t size)
{
	/* a field of wire type 1, time_unix_nano = 3 */
	const __u8 tag = 3 << 3 | 1;
	struct proto m = { 0 };
	__u64 id[2] = { __builtin_bswap64(w->window_ns),
			__builtin_bswap64(w->nr + 1ull) };

	put_type(out, 1, p);
	fwrite(samples, 1, size, out);
	fwrite(&tag, 1, 1, out);
	fwrite(&p->time_ns, 1, sizeof(p->time_ns), out);
	proto_number(&m, 4, p->duration_ns);
	put(out, &m);
	put_type(out, 5, p);
	m.size = 0;
	proto_number(&m, 6, p->period_ns);
	put(out, &m);
	/* the same window has the same ids when it is sent again */
	put_bytes(out, 7, id, sizeof(id));
}

/* Resource.attributes = 1: KeyValue, key = 1, value = 2: string_value = 1 */
static void put_attribute(FILE *out, const char *key, const char *value)
{
	struct proto text = { 0 }, m = { 0 };

	if (!*value)
		return;
	proto_string(&text, 1, value);
	proto_string(&m, 1, key);
	proto_bytes(&m, 2, text.data, text.size);
	put_message(out, 1, &m);
}

/* A stream of memory, ended: what was written, to be freed. */
struct part {
	FILE *out;
	char *data;
	size_t size;
};

static int part_open(struct part *part)
{
	part->out = open_memstream(&part->data, &part->size);
	return part->out ? 0 : -ENOMEM;
}

static int part_end(struct part *part)
{
	FILE *out = part->out;

	part->out = NULL;
	return out && fclose(out) ? -ENOMEM : 0;
}

static void part_free(struct part *part)
{
	part_end(part);
	free(part->data);
}

enum {
	DICT,
	SAMPLES,
	PROFILE,
	SCOPES,
	RESOURCE,
	ATTRIBUTES,
	REQUEST,
	NR_PARTS
};

/* Each message is written when what is in it is there. */
static int put_request(struct part *part, const struct pprof *p,
		       const struct window_profile *w, const char *service)
{
	struct otlp o = { p, part[DICT].out, part[SAMPLES].out, 0 };
	struct proto scope = { 0 };
	int ret = put_tables(&o);

	ret = ret ?: part_end(&part[DICT]) ?: part_end(&part[SAMPLES]);
	if (ret)
		return ret;
	put_profile(part[PROFILE].out, p, w, part[SAMPLES].data,
		    part[SAMPLES].size);
	put_attribute(part[ATTRIBUTES].out, "service.name", service);
	put_attribute(part[ATTRIBUTES].out, "host.name", w->host);
	put_attribute(part[ATTRIBUTES].out, "vm", w->vm);
	ret = part_end(&part[PROFILE]) ?: part_end(&part[ATTRIBUTES]);
	if (ret)
		return ret;
	/* ScopeProfiles: scope = 1 (name = 1, version = 2), profiles = 2 */
	proto_string(&scope, 1, "vmmprof");
	proto_string(&scope, 2, VMMPROF_VERSION);
	put_message(part[SCOPES].out, 1, &scope);
	put_bytes(part[SCOPES].out, 2, part[PROFILE].data, part[PROFILE].size);
	ret = part_end(&part[SCOPES]);
	if (ret)
		return ret;
	/* ResourceProfiles: resource = 1, scope_profiles = 2 */
	put_bytes(part[RESOURCE].out, 1, part[ATTRIBUTES].data,
		  part[ATTRIBUTES].size);
	put_bytes(part[RESOURCE].out, 2, part[SCOPES].data, part[SCOPES].size);
	ret = part_end(&part[RESOURCE]);
	if (ret)
		return ret;
	/* the request: resource_profiles = 1, dictionary = 2 */
	put_bytes(part[REQUEST].out, 1, part[RESOURCE].data,
		  part[RESOURCE].size);
	put_bytes(part[REQUEST].out, 2, part[DICT].data, part[DICT].size);
	return part_end(&part[REQUEST]);
}

int otlp_request(const struct window_profile *w, const char *service,
		 char **data, size_t *size)
{
	struct part part[NR_PARTS] = { 0 };
	struct pprof p;
	int i, ret = pprof_open(&p, w->file.data, w->file.size);

	*data = NULL;
	if (ret)
		return ret;
	for (i = 0; i < NR_PARTS && !ret; i++)
		ret = part_open(&part[i]);
	if (!ret)
		ret = put_request(part, &p, w, service);
	if (!ret) {
		*data = part[REQUEST].data;
		*size = part[REQUEST].size;
		part[REQUEST].data = NULL;
	}
	for (i = 0; i < NR_PARTS; i++)
		part_free(&part[i]);
	pprof_close(&p);
	return ret;
}

/*
 * ExportProfilesServiceResponse: partial_success = 1: rejected_profiles = 1.  What is
 * cut off behind that does not matter.
 */
bool otlp_refused(const void *answer, size_t size)
{
	const __u8 *at = answer;
	struct proto_bytes b = { at, at + size }, in;
	struct proto_field f;
	bool refused = false;

	/* a text that does not fit is cut: read what there is of the message */
	if (size > 2 && *at == (1 << 3 | 2)) {
		for (b.at++; b.at < b.end && *b.at & 0x80; b.at++)
			;
		in = (struct proto_bytes){ b.at + 1, b.end };
		if (b.at < b.end && proto_next(&in, &f))
			refused = f.nr == 1 && !f.is_bytes && f.value;
	}
	return refused;
}
