/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that opens mapped files: it has the recorder's rights and reads
 * nothing of what it opens.  To open may take as long as the file's owner likes
 * (FUSE, NFS): so it is not the recorder that does it.
 */
#ifndef OS_FILE_OPENER_H
#define OS_FILE_OPENER_H

/* Serves both sockets (os/file_protocol.h) until one is closed. */
void file_opener_run(int recorder, int parser);

#endif /* OS_FILE_OPENER_H */
