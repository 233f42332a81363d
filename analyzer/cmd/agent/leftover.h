/* SPDX-License-Identifier: GPL-2.0-only */
/* The directories that agents which were killed have left in memory. */
#ifndef CMD_AGENT_LEFTOVER_H
#define CMD_AGENT_LEFTOVER_H

/*
 * Removes the sessions that are called as that of this agent, @mine (a path), is,
 * but for what mkdtemp(3) has chosen, and lie beside it.  To be called while this
 * one has the device: then no other agent can be alive.  What is not the caller's,
 * or not a session, stays.
 */
void leftover_remove(const char *mine);

#endif
