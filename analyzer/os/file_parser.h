/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that reads mapped files: of whatever they do to it, their
 * symbols are lost.
 */
#ifndef OS_FILE_PARSER_H
#define OS_FILE_PARSER_H

#include "os/file_protocol.h"

struct file_parser {
	int recorder, opener;
	__u32 first;  /* of files with a smaller number nobody waits any more */
	void *memory; /* shared: segments, symbols, strings of the last file */
	size_t size;
	const __u8 (*have)[20]; /* sorted: build-ids that need no symbols */
	size_t nr_have;
};

/* Serves the opener until it is gone.  The caller has confined itself. */
void file_parser_run(const struct file_parser *p);

/* Bytes of memory that these tables take; 0: they cannot be true. */
size_t file_parser_size(const struct file_parsed *say);

/*
 * Is this answer one that can be written into a session, with @memory of @size
 * bytes as its tables?  As a bundle's reader checks it.
 */
bool file_parser_check(const struct file_parsed *say, const void *memory,
		       size_t size);

#endif /* OS_FILE_PARSER_H */
