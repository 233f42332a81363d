/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`, the reader: a process without rights, which reads what the
 * recorder writes and makes the screens.
 */
#ifndef CMD_TOP_READER_H
#define CMD_TOP_READER_H

/* arg: struct top_options.  The process's exit status. */
int top_read(void *arg);

#endif /* CMD_TOP_READER_H */
