// SPDX-License-Identifier: GPL-2.0-only
/* Records as lines, with the fields of record_fields.c. */

#include "view/chain_names.h"
#include "view/record_text.h"
#include "view/record_text_internal.h"
#include "view/safe.h"

/* How many there are. */
static size_t nr_all_fields(void)
{
	size_t nr = 0;

	while (record_fields[nr].name)
		nr++;
	return nr;
}

const char *record_field_name(int field)
{
	return field >= 0 && (size_t)field < nr_all_fields() ?
		       record_fields[field].name :
		       NULL;
}

/* A value is one word: spaces are escaped like everything unprintable. */
static void put_word(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == ' ')
			fputs("\\x20", out);
		else
			fputc(*s, out);
	}
}

static void put_field(struct line *l, size_t i, bool *first)
{
	char raw[VALUE_MAX] = "", text[VALUE_MAX * 4];

	l->buf = raw;
	record_fields[i].put(l);
	if (!raw[0] && !l->v->nr_fields)
		return;
	safe_text(text, sizeof(text), raw[0] ? raw : "-");
	fprintf(l->v->out, "%s%s=", *first ? "" : " ", record_fields[i].name);
	put_word(l->v->out, text);
	*first = false;
}

static int put_line(struct analysis *a, struct record_view *v,
		    const union rec *rec, const struct resolved *where)
{
	struct line l = { .v = v, .a = a, .rec = rec, .w = where };
	bool first = true;
	size_t i, nr;
	int ret;

	l.host.func = VMMPROF_NONE;
	l.host.module = VMMPROF_NONE;
	if (where && !(rec->hdr.flags & VMMPROF_S_USER)) {
		ret = resolve_host_ip(&a->resolver, rec->sample.ip, &l.host);
		if (ret)
			return ret;
	}
	if (v->json) {
		record_json(&l);
		return ferror(v->out) ? 1 : 0;
	}
	nr = v->nr_fields ? v->nr_fields : nr_all_fields();
	for (i = 0; i < nr; i++)
		put_field(&l, v->nr_fields ? v->fields[i] : i, &first);
	fputc('\n', v->out);
	return ferror(v->out) ? 1 : 0;
}

int record_put(struct analysis *a, void *arg, const union rec *rec,
	       const struct resolved *where)
{
	struct record_view *v = arg;

	if (!v->started) {
		v->started = true;
		v->first_tsc = a->session.stop ? a->session.stop->start_tsc :
						 rec->hdr.tsc;
	}
	if ((v->cpus && !cpus_has(v->cpus, a->rec_cpu)) ||
	    !time_ranges_has(a->time, rec->hdr.tsc))
		return 0;
	if (where && where->contradiction)
		v->contradictions++;
	if (v->check && (!where || !where->contradiction))
		return 0;
	/* samples come with their frames then */
	if (v->names && (where || rec->hdr.type == VMMPROF_REC_CHAIN))
		return 0;
	return put_line(a, v, rec, where);
}

static void put_frame(struct record_view *v, const struct chain_frame *f)
{
	char name[NAME_TEXT_BYTES], module[NAME_TEXT_BYTES];

	chain_frame_name(v->names, f, name, sizeof(name));
	chain_frame_module(v->names, f, module, sizeof(module));
	if (f->kind == FRAME_CODE)
		fprintf(v->out, "\t%16llx %s (%s)\n", f->addr, name, module);
	else
		fprintf(v->out, "\t%16s %s\n", "", name);
}

int record_put_chained(void *arg, const struct chain_sample *s,
		       const struct chain_frames *f)
{
	struct record_view *v = arg;
	union rec rec;
	size_t i;
	int err;

	if (v->cpus && !cpus_has(v->cpus, s->rec.cpu))
		return 0;
	rec.sample = s->rec;
	err = names_more(v->names);
	if (!err)
		err = put_line(v->names->a, v, &rec, &s->where);
	for (i = 0; i < f->nr && !err; i++)
		put_frame(v, &f->frame[i]);
	if (!err)
		fputc('\n', v->out);
	return err ? err : ferror(v->out) ? 1 : 0;
}
