/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that holds a connection to libvirt and carries lines over it.
 * That connection can do to VMs what libvirt can; so who reads the guest's
 * answers has no more of it than a socket to this process, which passes on
 * commands to one agent and looks into none of them.
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
 * Before a reply's bytes (no NUL).  The first one, without bytes, comes
 * unasked, when the connection stands.
 */
struct libvirt_reply {
	int32_t error; /* 0, or -errno: the bytes say why and what to do */
	uint32_t size;
};

/*
 * In a new process that may be killed at any time: connects to libvirt at
 * c->address as whom it belongs to, finds the domain @name, gives up all
 * rights, carries until the other end of @sock is closed.
 */
void __attribute__((noreturn))
libvirt_carry(struct channel *c, const char *name, int sock);

#endif /* TRANSPORT_LIBVIRT_BROKER_H */
