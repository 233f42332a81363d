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
grep -m 1 -qx '      \[vmm\] vmm 81' tree # 90, and 9 of the samples
grep -m 1 -qx '      \[halt\] halt 2395' tree # 2400, and 5 in which the host polls
grep -m 1 -qx 'all all 3029' tree
# time in which a vCPU did not run is above the code that it left, and its sums
# are those of its states; of a part of the time, too
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt off_cpu
"$VMMPROF" report off_cpu --html off_cpu.page 2> /dev/null
python3 "$CASES"/t440_html.py off_cpu.page off_cpu
node "$CASES"/t493_html_chains.js "$TOP" off_cpu.page > tree
cat > want << 'END'
              recurse user 429
                [steal] steal 50
                  bench thief 50
            default_idle kernel 390
              [halt] halt 380
              [steal] steal 10
                wake-up thief 10
      [blocked] blocked 40
        start_thread user 40
END
(grep -A 2 ' recurse user 429' tree; grep -A 3 ' default_idle kernel 390' tree
 grep -m 1 -A 1 '^      \[blocked\]' tree) | diff want -
# the whole both ways up, and its first eighth
[ "$(grep '^all all' tree | tr '\n' ' ')" = "all all 2000 all all 2000 all all 250 " ]
sed -n '/^all all 250/,$p' tree | grep -A 1 '\[steal\]' | grep -q 'bench thief 25'
# nothing of it is in a state by itself
! grep -E '^      \[(steal|halt)\]' tree || exit 1
