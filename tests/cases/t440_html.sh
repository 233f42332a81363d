#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --html: the page, what is refused, and what stays of a file.
export PYTHONDONTWRITEBYTECODE=1
for data in two-guests steal unclear small; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
	"$VMMPROF" report -i $data --html page > out 2> /dev/null
	[ ! -s out ]
	python3 "$CASES"/t440_html.py page $data
done
python3 "$TOP"/tests/gen/schedule.py 3 schedule
"$VMMPROF" report -i schedule --html page 2> /dev/null
python3 "$CASES"/t440_html.py page schedule
grep -q '"grid":{' page

# A name that would end the script and begin another.
name='</script><script>x=1</script><!--&amp;'
cat > d << END
file info
  event index=0 name=x
  vm pid=50 name=$name
  guest pid=50 name=$name
  end
file host
  kallsyms
    ffffffff81000000 T $name
    ffffffff82000000 T _etext
  .
  end
file cpu-0.rec
  sample tsc=10 flags=N ip=0xffffffff81000008
  sample tsc=11 flags=NVMSOGH handling=2 pid=50 tid=51 cpl=3 cr3=0x3000 gip=16
END
"$TOP"/tests/gen/mksession.py d hostile
"$VMMPROF" report -i hostile --html page
python3 "$CASES"/t440_html.py page hostile "$name"

expect() {
	want=$1
	shift
	status=0
	"$VMMPROF" report "$@" > out 2>&1 || status=$?
	head -n 2 out
	[ $status -eq "$want" ]
}
expect 2 -i steal --html page --json
expect 2 -i steal --html page --sort function
expect 1 -i steal --html no/such/folder
expect 1 -i steal --html page --guest nobody
echo old > kept
expect 1 -i nothing --html kept
cat kept
expect 1 -i steal --html /dev/full
# One guest; root's own folder.
mkdir -m 700 private
seq 100000 > private/page
"$VMMPROF" report -i two-guests --guest beta --html private/page
grep -q beta_work private/page
! grep -q quantum_toffoli private/page || exit 1
tail -n 1 private/page
