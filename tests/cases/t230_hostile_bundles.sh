#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A list of hostile bundles, with the message that each gets.
cat > d <<END
file info
  vm pid=1 name=vm1
  end
file host
  end
file cpu-0.rec
  vcpu tsc=1 pid=1 tid=1 id=0 offset=0
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1
END
"$TOP"/tests/gen/mksession.py d s
mkdir b
python3 "$TOP"/tests/cases/t230_hostile_bundles.py b
cd b
for f in *; do
	status=0
	timeout 60 "$VMMPROF" report -i ../s --guest-bundle "vm1=$f" \
		> ../out 2> ../err || status=$?
	echo "$f: exit status $status"
	sed 's/^/  /' ../err
	# what its only sample became, and of which process
	awk '/^Guest vm1 / { mine = 1 } /^Account/ { mine = 0 }
		mine && $1 == 1 { $1 = $2 = ""; print "  sample:" $0 }' ../out
done
