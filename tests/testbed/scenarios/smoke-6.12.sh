# SPDX-License-Identifier: GPL-2.0-only
# As smoke, with Debian's 6.12 on the host.
. "${BASH_SOURCE%/*}/smoke.sh"
HOST_KERNEL=6.12
how=$fast
