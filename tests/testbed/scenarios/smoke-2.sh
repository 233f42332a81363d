# SPDX-License-Identifier: GPL-2.0-only
# As smoke, on two CPUs: the guest may move between them.
# Not on AMD: hotplug has two CPUs there.
. "${BASH_SOURCE%/*}/smoke.sh"
CPUS=2
LIMIT=420
how=$fast
