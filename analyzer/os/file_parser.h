/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that reads mapped files: a file that harms it costs only its
 * symbols.
 */
#ifndef OS_FILE_PARSER_H
#define OS_FILE_PARSER_H

#include <stdbool.h>

#include "os/file_protocol.h"

struct file_parser {
	int recorder, opener;
	__u32 first;  /* files with a smaller number are no longer waited for */
	void *memory; /* shared: the tables of the last file */
	size_t size;
	struct file_have have;
	bool unwind; /* unwind tables are wanted */
};

/* Serves the opener until it is gone.  The caller has confined itself. */
void file_parser_run(const struct file_parser *p);

/* Bytes of memory that these tables take; 0: their sizes are impossible. */
size_t file_parser_size(const struct file_parsed *say);

/*
 * May this answer be written into a session, with @memory of @size bytes as its
 * tables?  Checks what a reader of a bundle checks.
 */
bool file_parser_check(const struct file_parsed *say, const void *memory,
		       size_t size);

#endif /* OS_FILE_PARSER_H */
