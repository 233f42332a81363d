/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that holds a connection to libvirt and carries lines over it.
 * The connection can do anything that libvirt can do to VMs.  So the process
 * that reads the guest's answers does not have it, but only a socket to this
 * process, which passes on commands for one agent and does not look into them.
 */
#ifndef TRANSPORT_LIBVIRT_BROKER_H
#define TRANSPORT_LIBVIRT_BROKER_H

#include <stdint.h>

#include "transport/transport.h"

#define LIBVIRT_SYSTEM	"qemu:///system"
#define LIBVIRT_SESSION "qemu:///session"

/* Before a command's bytes (no NUL). */
struct libvirt_request {
	uint32_t size;
	uint32_t seconds; /* libvirt's time for it */
};

/*
 * Before a reply's bytes (no NUL).  The first one has no bytes and is sent
 * unasked, once the connection stands.
 */
struct libvirt_reply {
	int32_t error; /* 0, or -errno: the bytes say why and what to do */
	uint32_t size;
};

struct libvirt_domain {
	struct channel *c;
	const char *name;
};

/*
 * For child_begin(), with a struct libvirt_domain; may be killed at any time.
 * Connects to libvirt at c->address as the user who owns it, finds the domain,
 * gives up all rights, and carries lines until the other end of @sock is
 * closed.
 */
void libvirt_carry(int sock, void *domain);

#endif /* TRANSPORT_LIBVIRT_BROKER_H */
