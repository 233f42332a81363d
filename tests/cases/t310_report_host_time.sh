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
	sed -n '/"time"/,/"processes"/p'
"$VMMPROF" report -i s --guest alpha --csv --classify=paper
"$VMMPROF" report -i s --guest alpha --json --classify=paper |
	sed -n '/"host_time"/,/"processes"/p'
# One process has none of these rows, nor has a session without the records.
{
	sed '/pid=500/s/cpl=3/cpl=3 cr3=0x2000/' "$TOP"/tests/data/steal.txt
	cat << 'END'
file guests/alpha.bundle
  text from=watch phys_mask=0xfffffffffe000
  clock tsc=0 mono=0
  clock tsc=2000000000 mono=2000000000
  mm op=snap ns=1 key=0x2000 pid=7 comm=w
  proc op=snap ns=1 pid=7 comm=w
  end
END
} > one.txt
"$TOP"/tests/gen/mksession.py one.txt one
"$VMMPROF" report -i one --guest alpha | grep -qF '[steal]'
"$VMMPROF" report -i one --guest alpha --pid 7 > out
grep -q '^Total time: 0.480 s, 48 samples ' out
! grep -F '[steal]' out || exit 1
sed '/switches on/d' "$TOP"/tests/data/steal.txt > without.txt
"$TOP"/tests/gen/mksession.py without.txt without
! "$VMMPROF" report -i without | grep -F '[steal]' || exit 1
status=0
"$VMMPROF" report -i s --classify=other 2>&1 || status=$?
[ $status -eq 2 ]
