# SPDX-License-Identifier: GPL-2.0-only
# As module, on two CPUs: one goes and comes back while its PMU samples.
. "${BASH_SOURCE%/*}/module.sh"
CPUS=2
