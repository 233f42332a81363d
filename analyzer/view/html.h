/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof report --html`: a session as one page without references to other
 * files.  The page is the files of analyzer/view/html, which are in the
 * program, and the session's numbers as JSON in between; scripts in it do the
 * rest.
 */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "model/slices.h"
#include "view/annotate.h"
#include "view/export.h"
#include "view/html_chains.h"
#include "view/html_page.h"
#include "view/json.h"
#include "view/time_grid.h"

/* What the page is made of. */
struct html_data {
	const struct export_data *x;
	const struct slices *slices;
	unsigned int step;	      /* of the page's slices, in those */
	__u64 end;		      /* of what was measured, host TSC */
	const struct time_grid *grid; /* NULL: there is none */
	const struct annotate *code;
	const struct html_chains *chains; /* NULL: there are none */
	const char *why; /* a sentence, if time is by samples alone; or NULL */
};

/* Is the time of this vCPU asked for? */
static inline bool html_shows(const struct html_data *d, __u32 track)
{
	const struct track *t = d->slices->tl->tracks[track];
	const struct report *r = d->x->r;

	return report_has(r, 1 + t->guest) &&
	       (r->vcpu == VMMPROF_ANY || r->vcpu == t->vcpu_id);
}

/* How many slices to put together, so that the page has a bound. */
unsigned int html_step(const struct slices *s);

/* Write the page.  0 or -ENOMEM; other errors of out are the caller's. */
int html_write(const struct html_data *d, FILE *out);

/* Members of that name; html_samples() writes "chains", too.  0 or -ENOMEM. */
int html_time(const struct html_data *d, struct json_out *j, const char *key);
int html_samples(const struct html_data *d, struct json_out *j,
		 const char *key);
int html_code(const struct annotate *an, struct json_out *j, const char *key);

/* hot_fn: the code of what the report (arg) shows. */
bool html_code_wants(void *arg, const struct bucket_key *key);

#endif /* VIEW_HTML_H */
