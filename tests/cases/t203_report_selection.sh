#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One guest, one vCPU, one process, other sort keys.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/two-guests.txt s
show() { echo "== $*"; "$VMMPROF" report -i s "$@" | sed '/^Account/,$d'; }
show --guest beta
show --guest alpha --vcpu 1
show --guest alpha --pid 10 -n 2
show --pid 700
show --guest alpha --sort process,mode
show --sort process,exit-reason,cpu
show --guest alpha --sort vcpu,pid -n 3
