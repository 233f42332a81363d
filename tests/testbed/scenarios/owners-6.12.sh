# SPDX-License-Identifier: GPL-2.0-only
# As owners, with Debian's 6.12 on the host: there vhost's worker is a thread of
# QEMU (vhost_task, 6.4 and later) and no kernel thread.
# Not on AMD: what is new here is the kernel's, and module-6.12 runs there.
. "${BASH_SOURCE%/*}/owners.sh"
HOST_KERNEL=6.12
ALL=longer
