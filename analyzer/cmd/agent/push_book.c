// SPDX-License-Identifier: GPL-2.0-only
/* What is in the book of `vmmprof push`. */

#include "cmd/agent/push_book.h"

const struct book_form push_book_form = {
	.file = "push.book",
	.counts = { [PUSH_OLD] = "dropped_age",
		    [PUSH_REFUSED] = "dropped_refused",
		    [PUSH_BROKEN] = "dropped_broken",
		    [PUSH_SENT] = "sent",
		    [PUSH_FAILED] = "failed_tries",
		    [PUSH_AT] = "at" },
	.names = { "window" },
};

const char *push_drop_key(unsigned int why)
{
	static const char *const keys[NR_PUSH_DROPS] = { "age", "refused",
							 "broken" };

	return why < NR_PUSH_DROPS ? keys[why] : "?";
}
