#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A chain of frame pointers that end where they should not is complete if it has
# reached one of the functions that the manual names, and no other.
names=$(sed -n '/^Frames are what was recorded/,/^So/s/`/\n/gp' \
	"$TOP"/analyzer/man/vmmprof-report.md | grep -E '^(_|start_|libc_)' |
	awk '!seen[$0]++')
{
	cat << 'END'
file info
 text tsc_khz=1000000 chains=host-user
 event index=0 type=0 config=9 period=1000000 name=c
 stop start=0 stop=1000000000
 end
file host
 clock tsc=0 mono=0
 kallsyms
 ffffffff81000000 T _text
 .
 proc op=snap ns=0 pid=7 comm=p
 file_item id=1 path=/usr/bin/p
 map pid=7 start=0x400000 end=0x500000 file=1
END
	symbols=0x400100:0x100:work,0x400200:0x100:main at=10
	for name in $names other; do
		symbols=$symbols,0x40${at}00:0x100:$name
		at=$((at + 1))
	done
	echo " symtab file=1 seg=0:0x400000:0x100000 sym=$symbols"
	echo " end"
	echo "file cpu-0.rec"
	at=10
	for name in $names other; do
		echo " sample tsc=${at}00000 chains=1 flags=NIU ip=0x400110 pid=7"
		echo " chain user=0x400210,0x40${at}10 uend=3"
		at=$((at + 1))
	done
} > d
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" script s -g | grep -v '^type='
