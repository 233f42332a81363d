# SPDX-License-Identifier: GPL-2.0-only
# As chains-kernel, with Debian's 5.10 on the host and in the guest.
# Not on AMD: of the CPU's own is only where a guest's registers are, as in samples.
. "${BASH_SOURCE%/*}/chains-kernel.sh"
HOST_KERNEL=5.10
GUEST_KERNEL=5.10
LIMIT=400
ALL=longer
