# SPDX-License-Identifier: GPL-2.0-only
# As chains, with Debian's 5.10 on the host.
. "${BASH_SOURCE%/*}/chains.sh"
HOST_KERNEL=5.10
ALL=longer
