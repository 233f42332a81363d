// SPDX-License-Identifier: GPL-2.0-only
/* Counts samples by address. */

#include "model/known_sample.h"
#include "model/sample_code.h"

/*
 * Of all processes that execute a file together; code that is of no file is its
 * process's, but for the kernel's.
 */
int sample_code_count(struct profile *code, const struct resolved *w,
		      bool later)
{
	const struct symbol_ref *ref = &w->slot->ref;
	const struct bucket_key *who = &w->context->key;
	const bool own = ref->file == VMMPROF_NONE && who->mode != MODE_KERNEL;
	const struct bucket_key key = {
		.guest = who->guest,
		.mode = who->mode,
		.event = who->event,
		.proc = own ? who->proc : VMMPROF_NONE,
		.addr = resolved_address(w),
		.func = ref->func,
		.module = ref->module,
		.file = ref->file,
	};

	if (ref->func == VMMPROF_NONE)
		return 0;
	return later ? profile_add_later(code, &key) :
		       profile_add(code, &key, 1);
}

static __u64 number_of(const struct resolver *r, __u64 ip,
		       const struct recent_context *last)
{
	const struct code_page *page = code_page(r->places, last->whose, ip);

	return code_number(code_page_lines(page, last->whose, ip), ip,
			   last->who);
}

int sample_code_note(struct profile *code, __u64 *filled,
		     const struct resolver *r,
		     const struct recent_context *last,
		     const struct resolved *w, __u32 bucket)
{
	const struct symbol_ref *ref = &w->slot->ref;
	const struct bucket_key *who = &w->context->key;
	__u64 number = 0;

	if (*filled != r->places->filled)
		profile_forget_pairs(code);
	*filled = r->places->filled;
	if (ref->func != VMMPROF_NONE && last->who != CODE_WHO_NONE &&
	    (ref->file != VMMPROF_NONE || who->mode == MODE_KERNEL))
		number = number_of(r, w->ip, last);
	if (!number || (code->pairs &&
			profile_known_pair(code, number, profile_hash(number))))
		return 0;
	return profile_pair_set(code, number, bucket);
}

__u32 sample_code_part(const struct profile *code, const struct resolver *r,
		       const struct vmmprof_rec_sample *s,
		       const struct recent_context *last)
{
	const __u64 ip = resolver_ip(s, known_guest(r, last));
	__u64 number;

	if (!last->whose || !code->pairs)
		return VMMPROF_NONE;
	number = number_of(r, ip, last);
	return profile_bucket_of(code, number, profile_hash(number));
}

bool sample_code_known(struct profile *code, const struct resolver *r,
		       const struct vmmprof_rec_sample *s,
		       const struct recent_context *last)
{
	const __u64 ip = resolver_ip(s, known_guest(r, last));
	__u64 number, *count;

	if (!last->whose)
		return true;
	if (!code->pairs)
		return false;
	number = number_of(r, ip, last);
	count = profile_known_pair(code, number, profile_hash(number));
	if (count)
		profile_count_pair(code, count);
	return count;
}
