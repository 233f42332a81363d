// SPDX-License-Identifier: GPL-2.0-only
/* The states of vCPUs over time as JSON, by timeline.schema.json. */

#include "base/io.h"
#include "view/json.h"
#include "view/timeline.h"

struct writer {
	struct json_out j;
	const struct timeline *tl;
};

/* Without a known frequency of the TSC no time in ns is known either. */
static void put_ns(struct json_out *j, const char *key,
		   const struct timeline *tl, __u64 ticks)
{
	if (tl->khz)
		json_out_u64(j, key,
			     ticks / tl->khz * 1000000 +
				     ticks % tl->khz * 1000000 / tl->khz);
	else
		json_out_null(j, key);
}

static void put_number(struct json_out *j, const char *key, __u32 n)
{
	if (n == VMMPROF_NONE)
		json_out_null(j, key);
	else
		json_out_u64(j, key, n);
}

/* slice_fn */
static int put_slice(void *arg, __u32 i, const struct slice *s)
{
	struct writer *w = arg;
	const struct timeline *tl = w->tl;
	const struct track *t = tl->tracks[i];
	struct json_out *j = &w->j;
	char text[256];

	json_out_object(j, NULL);
	put_ns(j, "begin_ns", tl, s->from - tl->begin);
	put_ns(j, "end_ns", tl, s->to - tl->begin);
	slice_guest(tl, t, text, sizeof(text));
	json_out_string(j, "guest", text);
	json_out_u64(j, "vm", t->guest + 1);
	put_number(j, "vcpu", t->vcpu_id);
	json_out_u64(j, "tid", t->tid);
	put_number(j, "cpu",
		   s->cpu == VMMPROF_NONE ? VMMPROF_NONE :
					    tl->pcpus[s->cpu].cpu);
	json_out_string(j, "state", state_key(s->state));
	slice_thief(tl, s, text, sizeof(text));
	if (*text)
		json_out_string(j, "thief", text);
	else
		json_out_null(j, "thief");
	json_out_object_end(j);
	return io_stream(j->out);
}

int timeline_json(struct timeline *tl, FILE *out)
{
	struct writer w = { .tl = tl };
	int err;

	json_out_begin(&w.j, out, "vmmprof-timeline", 1);
	json_out_array(&w.j, "stretches");
	err = slices_write(tl, put_slice, NULL, &w, NULL, out);
	json_out_array_end(&w.j);
	if (tl->bounded)
		put_ns(&w.j, "duration_ns", tl, tl->end - tl->begin);
	else
		json_out_null(&w.j, "duration_ns");
	json_out_object_end(&w.j);
	if (!err)
		err = io_flush(out);
	return err;
}
