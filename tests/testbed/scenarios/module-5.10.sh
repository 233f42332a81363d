# SPDX-License-Identifier: GPL-2.0-only
# As module, with Debian's 5.10 on the host.
. "${BASH_SOURCE%/*}/module.sh"
HOST_KERNEL=5.10
AMD=longer
