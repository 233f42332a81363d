# SPDX-License-Identifier: GPL-2.0-only
# As agentless, with Debian's 5.10 (a list of mappings, no maple tree) in the guests.
# Not on AMD: what is new here is the guests' kernel.
. "${BASH_SOURCE%/*}/agentless.sh"
GUEST_KERNEL=5.10
ALL=longer
