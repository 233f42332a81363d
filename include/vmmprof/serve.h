/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `vmmprof-guest serve` and the host say to each other over a stream: ssh's
 * standard input and output, or vsock.
 *
 *	guest	VMMPROF 2\n			the version
 *	host	have SIZE\n and SIZE bytes	may be left out: build-ids of 20
 *						bytes whose symbols it has;
 *						20 zero bytes; those whose
 *						UNWIND items it has
 *	host	unwind\n			may be left out: with UNWIND items
 *	host	watch SECONDS\n			may be left out
 *	guest	ready\n
 *	host	fetch\n				stops watching, or dumps
 *	guest	bundle SIZE\n and SIZE bytes
 *	host	code SIZE\n and SIZE bytes	may be left out: a list of code, see
 *						analyzer/format/code_list.h
 *	guest	code SIZE\n and SIZE bytes	a file of CODE items
 *
 * A guest from before unwind answers VMMPROF_SERVE_UNKNOWN to it, and goes on.  One
 * that does not know the second part of have sends all UNWIND items; so the host
 * names there only files that are in the first part, too.
 *
 * Instead of ready, bundle and code the guest may say "error TEXT\n".  Lines are of at
 * most VMMPROF_SERVE_LINE bytes.  The end of the stream ends everything.
 */
#ifndef VMMPROF_SERVE_H
#define VMMPROF_SERVE_H

#define VMMPROF_SERVE_HELLO   "VMMPROF 2"
/* To a line that it does not know; what follows is the next command. */
#define VMMPROF_SERVE_UNKNOWN "error the host sent an unknown command"
#define VMMPROF_SERVE_LINE    1024
#define VMMPROF_SERVE_HAVE    (20u * 65536)

/* Of `vmmprof-guest serve --vsock`; the host calls from a port below 1024. */
#define VMMPROF_SERVE_PORT    30317

#endif /* VMMPROF_SERVE_H */
