/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that tests find first in PATH, in a directory for files of theirs. */
#ifndef VMMPROF_TEST_FAKE_PROGRAM
#define VMMPROF_TEST_FAKE_PROGRAM

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct fake_program {
	char dir[32];
	char *path; /* PATH as it was */
};

/* @script: what it does, for sh.  Ends the test program if it cannot be made. */
static inline void fake_program_begin(struct fake_program *p, const char *name,
				      const char *script)
{
	char text[4096];
	FILE *f;

	strcpy(p->dir, "/tmp/vmmprof-test-XXXXXX");
	p->path = strdup(getenv("PATH"));
	if (!p->path || !mkdtemp(p->dir))
		abort();
	snprintf(text, sizeof(text), "%s/%s", p->dir, name);
	f = fopen(text, "w");
	if (!f || fprintf(f, "#!/bin/sh\n%s", script) < 0 || fclose(f) ||
	    chmod(text, 0700))
		abort();
	snprintf(text, sizeof(text), "%s:%s", p->dir, p->path);
	setenv("PATH", text, 1);
}

static inline void fake_program_end(struct fake_program *p)
{
	char text[64];

	setenv("PATH", p->path, 1);
	free(p->path);
	snprintf(text, sizeof(text), "rm -r %s", p->dir);
	if (system(text))
		abort();
}

#endif /* VMMPROF_TEST_FAKE_PROGRAM */
