# SPDX-License-Identifier: GPL-2.0-only
# As module, on two CPUs: one goes and comes back while its PMU samples.
# Not on AMD: a CPU that goes is in hotplug, which is.
. "${BASH_SOURCE%/*}/module.sh"
CPUS=2
