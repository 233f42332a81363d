#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The account of the vCPUs' time, in steal and in report: what agrees, what does
# not, what cannot be compared and why.
#
# One CPU, 1 s from 1 s on: vCPU 0 runs for 0.3 s, is preempted for 0.4 s by
# make, runs for 0.2 s and waits 0.1 s for beta until the end.  Its guest's TSC is
# 0.5 s behind, its clock is its TSC.
# make DIR DELAY RUN STEAL FROM TO CLOCK: /proc/stat read at FROM and TO
make() {
	cat > "$1.txt" << EOT
file info
text tsc_khz=1000000
event index=0 type=0 config=9 period=10000000 name=ref-cycles
switches on=1
vm pid=500 name=alpha
vm pid=600 name=beta
vcpu pid=500 tid=501 id=0
vcpu pid=600 tid=601 id=0
guest pid=500 name=alpha
vcpu_state pid=500 tid=501 when=start state=runnable tsc=1000000000 run=7 delay=7
vcpu_state pid=500 tid=501 when=stop state=runnable tsc=2000000000 run=$3 delay=$2 slices=3
stop start=1000000000 stop=2000000000
end
file guests/alpha.bundle
text steal_clock=$7
clock tsc=100000000 mono=100000000
clock tsc=2100000000 mono=2100000000
cputime ns=$5 cpu=0 steal=5000000000
cputime ns=$6 cpu=0 steal=$((5000000000 + $4))
end
file cpu-0.rec
vcpu tsc=1000500000 pid=500 tid=501 id=0 vpid=1 offset=-500000000
sample tsc=1001000000 flags=NVMSOG pid=500 tid=501 vpid=1 cpl=3 repeat=30 step=10000000
out tsc=1300000000 pid=500 tid=501 vcpu=0 flags=R opid=900 ocomm=make
sample tsc=1301000000 flags=NU pid=900 repeat=40 step=10000000
in tsc=1700000000 pid=500 tid=501 opid=900 ocomm=make
sample tsc=1701000000 flags=NVMSOG pid=500 tid=501 vpid=1 cpl=3 repeat=20 step=10000000
out tsc=1900000000 pid=500 tid=501 vcpu=0 flags=R opid=600 otid=601
in tsc=1900000000 pid=600 tid=601 opid=500 otid=501
sample tsc=1901000000 flags=NVMSOG pid=600 tid=601 vpid=2 cpl=3 repeat=10 step=10000000
EOT
	"$TOP"/tests/gen/mksession.py "$1.txt" "$1"
}
account() { sed -n '/Checked against/,/^$/p' | sed '1,2d; /^$/d; /switch records read/d'; }
checks() { python3 -c '
import json, sys
def checks(c):
    return {k: v if isinstance(v, str) else v and v["agrees"] for k, v in c.items()}
d = json.load(sys.stdin)
for g in d.get("time_checks", d["guests"]):
    print(g.get("name") or g["guest"], checks(g["checks"]))
    for v in g["vcpus"]:
        print("  tid", v["tid"], checks(v["checks"]))
'; }

echo "== all agree; run delay is without the wait that lasts"
make agree 400000007 500000007 510000000 490000000 1510000000 1
"$VMMPROF" steal -v -i agree 2> /dev/null | account
"$VMMPROF" steal -i agree --json 2> /dev/null | checks > steal
"$VMMPROF" report -i agree --json 2> /dev/null | checks > report
cat report
cmp steal report
"$VMMPROF" steal -v -i agree 2> /dev/null | account > steal
"$VMMPROF" report -v -i agree 2> /dev/null | account > report
cmp steal report

echo "== each of them is wrong"
make wrong 300000007 700000007 900000000 490000000 1510000000 1
sed -i '/pid=900 repeat/s/repeat=40/repeat=5/' wrong.txt
rm -r wrong
"$TOP"/tests/gen/mksession.py wrong.txt wrong
"$VMMPROF" report -v -i wrong 2> /dev/null | account
"$VMMPROF" report -i wrong --json 2> /dev/null | checks

# What the guest read before and after the measurement may be steal or not.
stat_line() { "$VMMPROF" steal -v -i "$1" 2> /dev/null | sed -n '/its \/proc\/stat/,/^  [a-z]/p' | sed '/^  [a-z]/d'; }
echo "== readings 0.4 s longer: 0.9 s of steal may be right, 1.0 s cannot"
make longer 400000007 500000007 900000000 300000000 1700000000 1
stat_line longer | head -n 2
make longer2 400000007 500000007 1000000000 300000000 1700000000 1
stat_line longer2 | head -n 3
echo "== readings 0.3 s shorter: 0.2 s may be right, 0.1 s cannot"
make shorter 400000007 500000007 200000000 600000000 1300000000 1
stat_line shorter | head -n 2
make shorter2 400000007 500000007 100000000 600000000 1300000000 1
stat_line shorter2 | head -n 3
echo "== the guest has no steal clock; one that goes back; one reading; no clock"
make none 400000007 500000007 0 490000000 1510000000 0
stat_line none | head -n 1
make back 400000007 500000007 -1 490000000 1510000000 1
stat_line back | head -n 1
make one 400000007 500000007 0 490000000 490000000 1
stat_line one | head -n 1
make unclocked 400000007 500000007 500000000 490000000 1510000000 1
sed -i '/^vcpu tsc/d' unclocked.txt
rm -r unclocked
"$TOP"/tests/gen/mksession.py unclocked.txt unclocked
stat_line unclocked | head -n 1

echo "== no schedstat: a kernel that does not count"
make zero 400000007 500000007 500000000 490000000 1510000000 1
sed -i 's/run=[0-9]* delay=[0-9]*//' zero.txt
rm -r zero
"$TOP"/tests/gen/mksession.py zero.txt zero
"$VMMPROF" steal -v -i zero 2> /dev/null | grep 'not compared with run'

echo "== switched off"
sed 's/switches on=1/switches on=0 error=1/' agree.txt > off.txt
"$TOP"/tests/gen/mksession.py off.txt off
"$VMMPROF" report -v -i off 2> /dev/null | sed -n "/vCPUs' time/,/^$/p"
"$VMMPROF" report -i off --json 2> /dev/null | grep -c time_checks || :

echo "== with many vCPUs only what disagrees is listed"
sed '/^stop/q' wrong.txt | sed '$d' > many.txt
for i in 1 2 3 4 5 6 7 8 9; do echo "vcpu pid=500 tid=51$i id=$i"; done >> many.txt
sed -n '/^stop/,$p' wrong.txt >> many.txt
"$TOP"/tests/gen/mksession.py many.txt many
"$VMMPROF" report -v -i many 2> /dev/null | account
