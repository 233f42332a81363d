/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that opens mapped files: it has the recorder's rights and reads
 * nothing from the files.  It is a process of its own because an open() may
 * block for as long as the owner of the file system likes (FUSE, NFS).
 */
#ifndef OS_FILE_OPENER_H
#define OS_FILE_OPENER_H

/* Serves both sockets (os/file_protocol.h) until one is closed. */
void file_opener_run(int recorder, int parser);

#endif /* OS_FILE_OPENER_H */
