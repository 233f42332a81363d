#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# export -f perf-script is what stackcollapse-perf.pl and FlameScope read, with
# the report's samples, and stolen time with its thief.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal unclear; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	"$VMMPROF" export $data -f perf-script -o $data.perf 2> /dev/null
	python3 "$CASES"/t406_perf_script.py $data $data.perf
done
# a program whose file has a space; processes without a name, or of a comment's begin
sed 's#path=/usr/bin/shor#path=/usr/bin/my%20shor#; s/pid=10 comm=shor/pid=10 comm=/
	s/pid=11 comm=shor/pid=11 comm=\\#shor/' "$TOP"/tests/data/two-guests.txt > words.txt
"$TOP"/tests/gen/mksession.py words.txt words
"$VMMPROF" export words -f perf-script -o words.perf 2> /dev/null
python3 "$CASES"/t406_perf_script.py words words.perf
grep -c '(my_shor)$' words.perf
grep -o '^.x23shor  11\|^\[unknown\]  10' words.perf | sort | uniq -c
# thieves, in periods of 10 ms; who has the CPU is asked of the records
sed -n '/^\[vCPU\]/,/^$/p' steal.perf | grep -B1 '\[steal\]' | grep -v -e '\[steal\]' -e '^--' |
	sort | uniq -c
head -n 6 two-guests.perf
# a guest alone, samples alone, another event; a session without switch records
"$VMMPROF" export steal -f perf-script --guest beta | grep -c '^	.* alpha (\[guest\])$' || true
"$VMMPROF" export steal -f perf-script --samples-only | grep -c '\[steal\]' || true
"$VMMPROF" export unclear -f perf-script -e cache-misses 2> /dev/null | grep -o '[^ ]*:$' | sort -u
# names that would begin another line, or look like a number's end
cat > d << 'END'
file info
  text tsc_khz=1000000
  event index=0 period=1000 name=cycles
  stop start=0 stop=10000
  end
file host
  clock tsc=0 mono=0
  kallsyms
    ffffffff81000000 T (f%20g)
    ffffffff81000100 T _etext
  .
  proc op=snap ns=0 pid=5 comm=a
  proc op=snap ns=0 pid=6 comm=x%207/7%20[000]
  end
file cpu-0.rec
  sample tsc=1000 flags=N ip=0xffffffff81000010 pid=5 tid=5
  sample tsc=2000 flags=N ip=0xffffffff81000010 pid=6 tid=6
END
"$TOP"/tests/gen/mksession.py d names
"$VMMPROF" export names -f perf-script
# of several events the first that has samples, in the time that is chosen
sed 's/^  event index=0 \(.*\)/  event index=0 config=1 period=1000000 name=instructions\n  event index=1 \1/
	s/ sample /&event=1 /' "$TOP"/tests/data/steal.txt > d
echo '  sample tsc=800000000 event=0 flags=N pid=900' >> d
"$TOP"/tests/gen/mksession.py d events
"$VMMPROF" export events -f perf-script | grep -o '[^ ]*:$' | sort | uniq -c
"$VMMPROF" export events -f perf-script --time 0%-50% | grep -o '[^ ]*:$' | sort | uniq -c
