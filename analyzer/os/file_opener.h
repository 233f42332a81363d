/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that opens mapped files: it has the recorder's rights and reads
 * nothing of what it opens.  To open may take as long as the file's owner likes
 * (FUSE, NFS): so it is not the recorder that does it.
 */
#ifndef VMMPROF_OS_FILE_OPENER_H
#define VMMPROF_OS_FILE_OPENER_H

/* Serves both sockets (os/file_protocol.h) until one is closed. */
void vmmprof_fileopener_run(int recorder, int parser);

#endif /* VMMPROF_OS_FILE_OPENER_H */
