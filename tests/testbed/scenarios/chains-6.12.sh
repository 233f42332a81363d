# SPDX-License-Identifier: GPL-2.0-only
# As chains, with Debian's 6.12 on the host.
# Not on AMD: of the CPU's own is only where a guest's registers are, as in samples.
. "${BASH_SOURCE%/*}/chains.sh"
HOST_KERNEL=6.12
ALL=longer
