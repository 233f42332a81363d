#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The flame graph of the page has the call chains, both ways up and of a part of
# the time; all samples are in it.
export PYTHONDONTWRITEBYTECODE=1
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt s
"$VMMPROF" report s --html page 2> /dev/null
python3 "$CASES"/t440_html.py page s
# with switch records: what KVM did for a vCPU is not in [vmm] as well
sed 's/^  stop start/  switches on=1\n&/; s/^file cpu-1.rec/  out tsc=800000000 pid=500 tid=501 vcpu=0 flags=R opid=700 ocomm=bench\n  in tsc=900000000 pid=500 tid=501 opid=700 ocomm=bench\n&/' \
	"$TOP"/tests/data/chains.txt > timed.txt
"$TOP"/tests/gen/mksession.py timed.txt timed
"$VMMPROF" report timed --html timed.page 2> /dev/null
python3 "$CASES"/t440_html.py timed.page timed
command -v node > where || { echo "skipped: no node"; exit 0; }
node "$CASES"/t493_html_chains.js "$TOP" page > tree
cat > want << 'END'
all all 174
          jit_loop user 3
                kvm_arch_vcpu_ioctl_run kernel 9
            alpha vm 60
all all 115
END
# the whole, down; a chain; through KVM; up; the first eighth of the time
(sed -n 1p tree; grep -m 1 jit_loop tree; grep -m 1 -A 1 EPT_VIOLATION tree | tail -n 1
 grep -m 1 '^            alpha vm' tree; grep '^all all' tree | tail -n 1) | diff want -
grep '^all all' tree | wc -l | grep -qx 3
node "$CASES"/t493_html_chains.js "$TOP" timed.page > tree
grep -m 1 -qx '      \[vmm\] vmm 76' tree # 90, and 14 of the samples
grep -m 1 -qx 'all all 3029' tree
