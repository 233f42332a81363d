/* SPDX-License-Identifier: GPL-2.0-only */
/* The name of a VM, from its command line or its systemd scope. */
#ifndef HOST_VM_NAME_H
#define HOST_VM_NAME_H

#include <stddef.h>

/*
 * From the text of /proc/PID/cmdline (len bytes, NUL after each argument):
 * QEMU's -name [guest=]NAME[,...], kvmtool's --name NAME, Firecracker's
 * --id NAME, else Proxmox's -id N.  out: any bytes.  0 or -ENOENT.
 */
int vm_name_cmdline(const char *cmdline, size_t len, char *out, size_t size);

/*
 * From the text of /proc/PID/cgroup: libvirt's scope, as in
 * machine-qemu\x2d1\x2dNAME.scope.  0 or -ENOENT.
 */
int vm_name_cgroup(const char *cgroup, char *out, size_t size);

#endif /* HOST_VM_NAME_H */
