/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of the processes that get the symbols of mapped files: the
 * recorder asks; the opener has the rights and reads nothing
 * (os/file_opener.c); the parser reads and has no rights (os/file_parser.c).
 * All are datagrams between processes of one program; those of the parser are
 * not trusted.
 */
#ifndef OS_FILE_PROTOCOL_H
#define OS_FILE_PROTOCOL_H

#include <stddef.h>
#include <linux/types.h>

#include "sym/elf.h"

#define FILE_PATH 4096
#define FILE_HELD 256 /* files that the opener has open at a time */

enum file_ask_what {
	FILE_OPEN = 1, /* answer: file_opened */
	FILE_PARSE,    /* hand it to the parser, which answers */
	FILE_FORGET,   /* close it */
};

/* To the opener; only OPEN has a path, which is cut to its length. */
struct file_ask {
	__u32 what; /* enum file_ask_what */
	__u32 seq;
	__u32 pid;
	__u32 generation; /* of the inode, 0: not known */
	__u64 start;
	__u64 end;
	__u64 dev;
	__u64 ino;
	char path[FILE_PATH];
};

#define FILE_ASK_HEAD offsetof(struct file_ask, path)

/* Who could have written what is in a file. */
struct file_owner {
	__u32 uid;	  /* its owner */
	__u32 mapper;	  /* who has mapped it, as far as known, else uid */
	__u32 generation; /* of the inode, 0: not known */
	__u8 sole;	  /* nobody but uid */
	__u8 trusted;	  /* nobody but root */
	__u8 pad[2];
};

/* From the opener. */
struct file_opened {
	__u32 seq;
	__s32 err;
	struct file_owner owner;
};

/* From the opener to the parser, with the file or without. */
struct file_handed {
	__u32 seq;
	__u8 debug; /* an answer to file_want */
	__u8 trusted;
	__u8 pad[2];
};

/* From the parser to the opener: the next debug file of the file @seq. */
struct file_want {
	__u32 seq;
	__u32 which; /* 0, 1, ... DEBUGFILE_PLACES - 1 */
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	__u8 build_id_size;
	char debuglink[ELFFILE_DEBUGLINK];
};

/* Build-ids, sorted, of files of which nothing needs to be sent again. */
struct file_have {
	const __u8 (*symbols)[20];
	const __u8 (*unwind)[20]; /* the same of unwind tables */
	size_t nr_symbols, nr_unwind;
};

/*
 * From the parser; its memory holds segments, symbols, strings and, if wanted, a
 * stored unwind table (sym/unwind_table.h).
 */
struct file_parsed {
	__u32 seq;
	__s32 err; /* as elffile_read(), -EFBIG: too large */
	__u32 nr_segments;
	__u32 nr_symbols;
	__u32 strings_size;
	__u32 unwind_size; /* 0: there is none, or it is not wanted */
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	__u8 build_id_size;
	__u8 cached; /* the asking side has its symbols already: none are sent */
	__u8 cut;    /* .gnu_debugdata unpacks to too much: left out */
	__u8 no_unwind;	    /* its unwind table is too large: left out */
	__u8 unwind_cached; /* as cached, of its unwind table */
};

#endif /* OS_FILE_PROTOCOL_H */
