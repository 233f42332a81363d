# SPDX-License-Identifier: GPL-2.0-only
# As boot, on two CPUs. Not in --all: smoke needs all of it there.
. "${BASH_SOURCE%/*}/boot.sh"
CPUS=2
ALL=no
AMD=longer
