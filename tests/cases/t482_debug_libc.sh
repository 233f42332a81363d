#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Debian's own stripped C library: with libc6-dbg at least 99 % of the functions
# that .eh_frame has are named; none is without a function.
libc=$(ldconfig -p | sed -n 's/.*libc\.so\.6 (libc6,x86-64.* => //p' | head -n 1)
[ -n "$libc" ] || { echo "skipped: no libc.so.6 of x86-64"; exit 0; }
libc=$(readlink -f "$libc")
id=$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
[ -e "$debug" ] || { echo "skipped: libc6-dbg is not installed"; exit 0; }
{
	cat <<EOT
file info
  event index=0 type=1 config=0 period=1000000 name=cpu-clock
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$libc build_id=$id flags=32
  map pid=9 start=0x10000000 end=0x20000000 file=1
  end
file cpu-0.rec
EOT
	# a sample in each function; the library is mapped by offsets of its file
	readelf -lW "$libc" > segments
	readelf --debug-dump=frames-interp "$libc" |
		sed -n 's/.* pc=0*\([0-9a-f]*\)\.\..*/0x\1/p' | sort -u > starts
	read -r off vaddr <<EOT
$(awk '$1 == "LOAD" && / R E /{print $2, $3}' segments)
EOT
	i=10
	while read -r a; do
		i=$((i + 1))
		echo "  sample tsc=$i flags=NU pid=9 ip=$((0x10000000 + a - vaddr + off))"
	done < starts
} > d
"$TOP"/tests/gen/mksession.py d s
all=$(wc -l < starts)
test "$all" -gt 1000
"$VMMPROF" script -i s -F sym > out 2> err
test "$(wc -l < out)" -eq "$all"
unnamed=$(grep -c "+0x" out || :)
none=$(grep -vc "^sym=[A-Za-z_.]" out || :)
echo "$all functions, $unnamed unnamed, $none without" >&2
test "$none" -eq 0
test $((unnamed * 100)) -le "$all"
