# SPDX-License-Identifier: GPL-2.0-only
# record --max-overhead: samples became rarer, three times as far apart from 0.1 s
# on, then twice that.  Each one stands for as much as any other: process 10, which
# ran for half of the time at a sample each ms, has not six times as many.
cat > s.txt << 'END'
file info
  header min_version=3 version=3
  text tsc_khz=1000000 vendor=vmx chains=host-user
  event index=0 name=cpu-clock type=1 config=0 period=1000000
  widened tsc=99000000 until=100000000 factor=3 cpu=0 spent=25000 limit=10000
  widened tsc=149000000 until=150000000 factor=2 cpu=1 spent=15000 limit=10000
  cpu cpu=0 samples=124
  stop start=1000 stop=200000000
  end
file cpu-0.rec
END
# A chain for each sample: those of samples that are left out are no strays.
ms=1
while [ $ms -le 198 ]; do
	pid=10 period=1000000 step=1
	[ $ms -lt 100 ] || { pid=20 period=3000000 step=3; }
	[ $ms -lt 150 ] || { pid=30 period=6000000 step=6; }
	echo "  sample tsc=${ms}000000 pid=$pid ip=0x401000 period=$period flags=U"
	echo "  chain tsc=${ms}000000 user=0x401000,0x400110 uend=1"
	ms=$((ms + step))
done >> s.txt
grep -c '^  sample' s.txt
"$TOP"/tests/gen/mksession.py s.txt s
"$VMMPROF" report -v -g caller s 2> /dev/null |
	sed -n '/^Samples .*Process/,/^$/p; /^Account of all/,/^$/p; /^Account of call chains/,/^$/p'
"$VMMPROF" report -v s 2> /dev/null | grep -c 'CHAIN records of no sample' || :
"$VMMPROF" script s 2> /dev/null | grep -c '^type=sample'
"$VMMPROF" export -f perf-script s 2> /dev/null | grep -c cpu-clock
# A frequency becomes lower.
sed 's/period=1000000$/period=1000 flags=1/; /^  cpu /d' s.txt > f.txt
"$TOP"/tests/gen/mksession.py f.txt f
"$VMMPROF" export -f json f 2> /dev/null | grep period_ns
"$VMMPROF" export -f json s 2> /dev/null | grep period_ns
# What no recorder writes is not believed.
sed 's/factor=3/factor=1/; s/factor=2/factor=4000000000/' s.txt > wrong.txt
"$TOP"/tests/gen/mksession.py wrong.txt wrong
"$VMMPROF" report wrong 2>&1 | grep believed
# And what it writes is refused by those who do not know it.
sed 's/min_version=3/min_version=4/' s.txt > new.txt
"$TOP"/tests/gen/mksession.py new.txt new
"$VMMPROF" report new 2>&1 | grep -c newer || :
