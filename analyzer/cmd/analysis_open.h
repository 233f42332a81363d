/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the files of a session that is to be analysed. */
#ifndef CMD_ANALYSIS_OPEN_H
#define CMD_ANALYSIS_OPEN_H

#include "model/analysis.h"

/* "NAME=FILE": a bundle that is not in the session, or replaces one. */
struct bundle_option {
	const char *name;
	const char *file;
};

/*
 * Open the session in dir, the host's map file and all bundles.  Lines about
 * what is wrong are in a->session.problems.  Returns 0, or the error that
 * keeps the session from being read at all; an unreadable bundle that was
 * asked for by an option is one.  analysis_close() is due in either
 * case.
 */
int analysis_open(struct analysis *a, const char *dir,
		  const struct bundle_option *options, size_t nr_options);

/* The same without the vCPUs' threads @ended: see session_forget(). */
int analysis_open_later(struct analysis *a, const char *dir,
			const struct bundle_option *options, size_t nr_options,
			const struct hash *ended);

/*
 * Read the host's map file (again: it has grown).  What is wrong with it is in
 * the problems.  0 or -ENOMEM.
 */
int analysis_host(struct analysis *a);

/*
 * What guest number @guest is known by from now on: the bundle @fd, which is
 * closed.  0; -ENOMEM; another error: it stays as it was.
 */
int analysis_guest(struct analysis *a, __u32 guest, int fd);

#endif /* CMD_ANALYSIS_OPEN_H */
