# SPDX-License-Identifier: GPL-2.0-only
# As agentless, with Debian's 6.12 (pcpu_hot) in the guests.
# Not on AMD: what is new here is the guests' kernel.
. "${BASH_SOURCE%/*}/agentless.sh"
GUEST_KERNEL=6.12
ALL=longer
# The first reading takes longer.
seconds=36
LIMIT=700
