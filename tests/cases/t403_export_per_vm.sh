#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# export -f pprof --per-vm: a profile of each VM and kind of time, as stores take
# them, with the sums of steal; what is too much is folded, and said.
export PYTHONDONTWRITEBYTECODE=1
check="python3 $CASES/t403_export_per_vm.py"

# of chains, of functions and thieves, of the host and two VMs without switch records
dated='s/^  stop start=/  clock tsc=0 mono=0 real=1700000000000000000\n&/'
for data in off_cpu steal two-guests; do
	sed "$dated" "$TOP"/tests/data/$data.txt > $data.txt
	"$TOP"/tests/gen/mksession.py $data.txt $data
	"$VMMPROF" export $data -f pprof --per-vm -o $data.tar 2> err
	if grep 'did not fit' err; then exit 1; fi
	$check $data $data.tar
done
# stacks without chains, and of one VM alone
"$VMMPROF" export off_cpu -f pprof --per-vm -G -o bare.tar
$check off_cpu bare.tar
"$VMMPROF" export two-guests -f pprof --per-vm --guest beta 2> /dev/null |
	tar tf - > names
printf '0002-beta.cpu.json\n0002-beta.cpu.pb.gz\n' | cmp - names

# more stacks than a store takes (more bytes: tests/unit/test_pprof_stacks.c)
"$TOP"/build/gen/bigsession -n 150000 -c 8 -g 1 -v 32 -p 400 -f 20000 many > /dev/null
"$VMMPROF" export many -f pprof --per-vm -o many.tar 2> err
grep -q '^vmmprof export: warning: [0-9]* stacks with [0-9.]* s did not fit, and are \[other\]$' err
$check many many.tar folded
# names that a shell would not stand
sed 's/name=alpha/name=..%20x$y/; s/alpha/..%20x$y/' off_cpu.txt > hostile.txt
"$TOP"/tests/gen/mksession.py hostile.txt hostile
"$VMMPROF" export hostile -f pprof --per-vm | tar tf - > names
if grep / names; then exit 1; fi
grep -q '^0001-[A-Za-z0-9._-]*\.cpu\.pb\.gz$' names

# what is no time, or of no time
fails()
{
	status=0
	"$VMMPROF" export "$@" -f pprof --per-vm -o out 2> err || status=$?
	test $status -eq 1
	test ! -s out
}
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/steal.txt undated
fails undated
grep -q -- 'no profiles: the session does not say when it was$' err
sed "$dated" "$TOP"/tests/data/unclear.txt > untimed.txt
"$TOP"/tests/gen/mksession.py untimed.txt untimed
fails untimed -e cache-misses
grep -q -- 'no profiles: cache-misses counts no time, and there are no switch records$' err
