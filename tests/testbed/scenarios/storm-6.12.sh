# SPDX-License-Identifier: GPL-2.0-only
# The fork storm in a guest with Debian's backported 6.12 (pcpu_hot).
# Not on AMD: what is new here is the guest's kernel.
. "$(dirname "${BASH_SOURCE[0]}")/storm.sh"
GUEST_KERNEL=6.12
ALL=longer
