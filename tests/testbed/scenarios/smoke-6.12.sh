# SPDX-License-Identifier: GPL-2.0-only
# As smoke, with Debian's 6.12 on the host.
# Not on AMD: what is new here is the kernel's, and module-6.12 runs there.
. "${BASH_SOURCE%/*}/smoke.sh"
HOST_KERNEL=6.12
ALL=longer
how=$fast
