// SPDX-License-Identifier: GPL-2.0-only
/* Frames to text: functions as tables have them, the others in brackets. */

#include <stdio.h>
#include <string.h>

#include "sym/exits.h"
#include "view/chain_names.h"
#include "view/export_thief.h"

#define INLINED " (inlined)" /* as perf report has it */

/* A row's key: its mode is 1 more, so that it is not that of a guest's row. */
static struct bucket_key code_key(const struct chain_frame *f)
{
	return (struct bucket_key){
		.guest = f->machine,
		.proc = VMMPROF_NONE,
		.func = f->func,
		.module = f->module,
		.file = f->file,
		.mode = 1 + f->mode,
		.cause = f->cause,
	};
}

static void exit_text(__u32 reason, char *buf, size_t size)
{
	const char *name = exit_name(reason);
	char number[EXIT_TEXT];

	if (reason == EXIT_NONE)
		snprintf(buf, size, "[exit]");
	else if (name)
		snprintf(buf, size, "[exit: %s]", name);
	else
		snprintf(buf, size, "[exit: %s]",
			 exit_number_text(reason, number));
}

void chain_frame_name(struct names *n, const struct chain_frame *f, char *buf,
		      size_t size)
{
	struct bucket_key key;

	switch (f->kind) {
	case FRAME_EXIT:
		exit_text(f->what, buf, size);
		return;
	case FRAME_BROKEN:
		if (f->what == VMMPROF_END_DEPTH)
			snprintf(buf, size, "[truncated]");
		else
			snprintf(buf, size, "[broken: %s]",
				 chain_end_text(f->what));
		return;
	case FRAME_STATE:
		snprintf(buf, size, "[%s]",
			 f->what == STATE_PREEMPTED ? "steal" :
						      state_key(f->what));
		return;
	case FRAME_THIEF:
		if (n->tl && f->what < n->tl->thieves.nr)
			export_thief(n->tl, f->what, buf, size);
		else
			snprintf(buf, size, "[thief]");
		return;
	case FRAME_MACHINE:
		name_machine(n, f->machine, buf, size);
		return;
	case FRAME_PROCESS:
		name_program(n, f->what, buf, size);
		return;
	case FRAME_THREAD:
		snprintf(buf, size, "%u", f->what);
		return;
	}
	key = code_key(f);
	name_function(n, &key, buf, size - (f->inlined ? sizeof(INLINED) : 0));
	if (f->inlined)
		strcat(buf, INLINED);
}

void chain_frame_module(struct names *n, const struct chain_frame *f, char *buf,
			size_t size)
{
	struct bucket_key key = code_key(f);

	if (f->kind == FRAME_CODE)
		name_module(n, &key, buf, size);
	else
		*buf = '\0';
}

struct bucket_key chain_frame_key(const struct chain_frame *f,
				  const struct bucket_key *leaf)
{
	struct bucket_key key = *leaf;

	key.guest = f->machine;
	key.addr = f->link;
	key.func = f->func;
	key.module = f->module;
	key.file = f->file;
	key.mode = f->mode;
	key.cause = f->cause;
	return key;
}
