# SPDX-License-Identifier: GPL-2.0-only
# As agentless, with Debian's 7 in the guests.
# Not on AMD: what is new here is the guests' kernel.
. "${BASH_SOURCE%/*}/agentless.sh"
GUEST_KERNEL=7
ALL=longer
# The first reading takes longer.
seconds=48
LIMIT=700
