#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A guest's table sums to host time: with switch records, and in the published
# view, whole guests and single vCPUs.
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt s
"$VMMPROF" report -i s | sed -n '/^Guest alpha/,/^Account/p' | sed '/^Account/,$d'
"$VMMPROF" report -i s --guest gamma --sort exit-reason,module | sed '/^Account/,$d'
for vcpu in '' '--vcpu 0' '--vcpu 1'; do
	"$VMMPROF" report -i s --classify=paper --guest alpha $vcpu |
		sed '/^Account/,$d'
done
"$VMMPROF" report -i s --guest alpha --json |
	sed -n '/"host_time"/,/"processes"/p'
"$VMMPROF" report -i s --guest alpha --json --classify=paper |
	sed -n '/"host_time"/,/"processes"/p'
# One process has none of these rows, nor has a session without the records.
! "$VMMPROF" report -i s --guest alpha --pid 1 | grep -F '[steal]'
sed '/switches on/d' "$TOP"/tests/data/steal.txt > without.txt
"$TOP"/tests/gen/mksession.py without.txt without
! "$VMMPROF" report -i without | grep -F '[steal]'
status=0
"$VMMPROF" report -i s --classify=other 2>&1 || status=$?
[ $status -eq 2 ]
