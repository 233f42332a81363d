# SPDX-License-Identifier: GPL-2.0-only
# As boot, with Debian's 6.12 on the host. Smoke needs all of it there.
# Not on AMD: module-6.12 needs all of it there.
. "${BASH_SOURCE%/*}/boot.sh"
HOST_KERNEL=6.12
ALL=longer
