#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each thief is told with whom it belongs to: a VM's threads, vhost's and helpers
# of it, units, containers, processes, the kernel.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/owners.txt s
"$VMMPROF" steal -i s | sed -n '/^Who took/,/^$/p'
"$VMMPROF" steal -i s --by thief | sed -n '/^Who took time/,$p'
