#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# vCPUs that come and go during the measurement, a tid and a vCPU id that are
# used again: each has its own time and no other's.
cat > life.txt << 'EOF'
file info
text tsc_khz=1000000
switches on=1
vm pid=500 name=alpha
vcpu pid=500 tid=501 id=0
vcpu_state pid=500 tid=501 when=start state=halted tsc=1000000
vcpu_state pid=500 tid=501 when=stop state=halted tsc=11000000
vcpu_state pid=700 tid=502 when=stop state=runnable tsc=11000000
stop start=1000000 stop=11000000
end
file cpu-0.rec
# plugged in at 2 ms, out again at 5 ms
in tsc=2000000 pid=500 tid=502 opid=0
out tsc=3000000 pid=500 tid=502 vcpu=1 mp=3 opid=0
wake tsc=4000000 pid=500 tid=502
in tsc=4000000 pid=500 tid=502 opid=0
out tsc=5000000 pid=500 tid=502 vcpu=1 opid=0
# the tid is another VM's vCPU from 7 ms on
in tsc=7000000 pid=700 tid=502 opid=0
out tsc=8000000 pid=700 tid=502 vcpu=0 flags=R opid=900 ocomm=make
EOF
"$TOP"/tests/gen/mksession.py life.txt s
"$VMMPROF" steal -i s 2> /dev/null | sed '/^CPU/,$d'
# A record of the time before counts for the time from the start on only.
"$VMMPROF" steal -i s --json 2> /dev/null | sed -n '/"guests"/,/"cpus"/p' | grep -E '"(begin_ns|end_ns|tid|total_ns)"'
