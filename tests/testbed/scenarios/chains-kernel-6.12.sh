# SPDX-License-Identifier: GPL-2.0-only
# As chains-kernel, with Debian's 6.12 on the host and in the guest.
# Not on AMD: of the CPU's own is only where a guest's registers are, as in samples.
. "${BASH_SOURCE%/*}/chains-kernel.sh"
HOST_KERNEL=6.12
GUEST_KERNEL=6.12
LIMIT=400
ALL=longer
