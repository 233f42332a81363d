/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identifies the same guest from one run of its VM to the next, by facts of the
 * host: the user who runs the VMM and the VMM's command line (UUID, name).  The
 * guest cannot influence them.
 */
#ifndef HOST_GUEST_ID_H
#define HOST_GUEST_ID_H

#include <stdint.h>

#define GUEST_ID 256 /* with the NUL; fits a file's name */

/*
 * u0-UUID-NAME in hexadecimal digits; "none" for a UUID that is missing or
 * zero.  root: "" or the prefix of a test's tree.  0; -ENOENT: there is
 * neither UUID nor name, or no such process; -ENAMETOOLONG.
 */
int guest_id(const char *root, uint32_t pid, char *id);

#endif /* HOST_GUEST_ID_H */
