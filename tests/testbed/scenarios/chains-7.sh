# SPDX-License-Identifier: GPL-2.0-only
# As chains, with Debian's 7 on the host.
. "${BASH_SOURCE%/*}/chains.sh"
HOST_KERNEL=7
ALL=longer
