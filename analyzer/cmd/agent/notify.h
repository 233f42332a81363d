/* SPDX-License-Identifier: GPL-2.0-only */
/* The word to systemd that the agent has begun: sd_notify(3). */
#ifndef CMD_AGENT_NOTIFY_H
#define CMD_AGENT_NOTIFY_H

/*
 * Tells whoever started this as a service of Type=notify, the first time that it
 * is called.  Nobody asked, or does not listen: nothing happens.
 */
void notify_ready(void);

#endif
