# SPDX-License-Identifier: GPL-2.0-only
# As module, with Debian's 6.12 on the host.
. "${BASH_SOURCE%/*}/module.sh"
HOST_KERNEL=6.12
ALL=longer
AMD=longer
