/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent with the options of now, as the same process. */
#ifndef CMD_AGENT_RESTART_H
#define CMD_AGENT_RESTART_H

/* A copy of the arguments, with room for restart(); NULL: there is no memory. */
char **restart_args(int argc, char **argv);

/*
 * Executes this program again, which has nothing of what was before then.  Comes back
 * only with a message, and EXIT_ERROR.
 */
int restart(int argc, char **args);

#endif /* CMD_AGENT_RESTART_H */
