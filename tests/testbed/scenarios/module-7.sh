# SPDX-License-Identifier: GPL-2.0-only
# As module, with Debian's 7 on the host.
. "${BASH_SOURCE%/*}/module.sh"
HOST_KERNEL=7
AMD=longer
