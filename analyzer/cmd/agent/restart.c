// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/agent/restart.h"
#include "cmd/cmd.h"
#include "cmd/record/messages.h"

char **restart_args(int argc, char **argv)
{
	char **copy = calloc(argc + 2, sizeof(*copy));
	int i;

	for (i = 0; copy && i < argc; i++)
		copy[i] = strdup(argv[i]);
	return copy;
}

int restart(int argc, char **args)
{
	static char program[] = "vmmprof", verb[] = "agent";

	memmove(args + 1, args, argc * sizeof(*args));
	args[0] = program;
	args[1] = verb;
	execv("/proc/self/exe", args);
	record_say("cannot start anew: %s", strerror(errno));
	return EXIT_ERROR;
}
