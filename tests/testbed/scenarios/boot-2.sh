# SPDX-License-Identifier: GPL-2.0-only
# As boot, on two CPUs.
. "${BASH_SOURCE%/*}/boot.sh"
CPUS=2
