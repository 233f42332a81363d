# SPDX-License-Identifier: GPL-2.0-only
# As smoke, on two CPUs: the guest may move between them.
. "${BASH_SOURCE%/*}/smoke.sh"
CPUS=2
LIMIT=420
how=$fast
