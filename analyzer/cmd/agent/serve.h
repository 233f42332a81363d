/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that answers requests for metrics, by libmicrohttpd. */
#ifndef CMD_AGENT_SERVE_H
#define CMD_AGENT_SERVE_H

/*
 * Answers at the socket @listener, without rights, with what comes on @sock as
 * files, each of which is read at once.  The first thing that it sends there is 0
 * or -errno of beginning (-ELIBACC: no libmicrohttpd).  Ends when @sock is closed.
 */
void serve_metrics(int sock, int listener);

/* Bytes of a file; a larger one is not taken. */
#define SERVE_MAX (17u << 20)

#endif /* CMD_AGENT_SERVE_H */
