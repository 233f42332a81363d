/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of reading a session, as text. */
#ifndef CMD_SESSION_ERROR_H
#define CMD_SESSION_ERROR_H

/*
 * strerror(@err) for the reader.  If it has no memory, the text says how much
 * it may have and what to do.
 */
const char *session_strerror(int err);

#endif /* CMD_SESSION_ERROR_H */
