/* SPDX-License-Identifier: GPL-2.0-only */
/* The file vmmprof-guest, which is sent into guests. */
#ifndef TRANSPORT_GUEST_PROGRAM_H
#define TRANSPORT_GUEST_PROGRAM_H

struct guest_program {
	int fd;	    /* as it is, for reading; -1: not open */
	int packed; /* as gzip(1) has it, in memory, sealed; -1: there is none */
};

/* Opens the file.  0 or -errno: nothing is open. */
int guest_program_open(struct guest_program *p, const char *path);

/*
 * Packs it, once for all guests: it takes a hundred instructions for each byte.  If
 * that fails, it is sent as it is.
 */
void guest_program_pack(struct guest_program *p);

void guest_program_close(struct guest_program *p);

#endif /* TRANSPORT_GUEST_PROGRAM_H */
