# SPDX-License-Identifier: GPL-2.0-only
# Memory that took the place of a file's text while watched: the text it is if
# a later look at the process says so; else the samples say what is known.
cat > d <<'EOT'
file info
 text tsc_khz=1000000
 end
file host
 clock tsc=1000 mono=1000
 clock tsc=9000 mono=9000
 file_item id=1 path=/bin/prog
 symtab file=1 seg=0:0:0x80000 sym=0x21000:0x1000:hot_one
 # 7: confirmed; 8: not; 9: by another place of the file; 10: more than the text
 proc op=snap ns=1000 pid=7 comm=moved
 map pid=7 ns=1000 start=0x100000 end=0x180000 file=1
 map pid=7 ns=3000 start=0x120000 end=0x130000
 map pid=7 ns=3001 start=0x120000 end=0x130000
 map pid=7 ns=8000 start=0x120000 end=0x130000 pgoff=0x20000 file=1
 proc op=snap ns=1000 pid=8 comm=left
 map pid=8 ns=1000 start=0x100000 end=0x180000 file=1
 map pid=8 ns=3000 start=0x120000 end=0x130000
 proc op=snap ns=1000 pid=9 comm=other
 map pid=9 ns=1000 start=0x100000 end=0x180000 file=1
 map pid=9 ns=3000 start=0x120000 end=0x130000
 map pid=9 ns=8000 start=0x120000 end=0x130000 pgoff=0x30000 file=1
 proc op=snap ns=1000 pid=10 comm=jit
 map pid=10 ns=1000 start=0x100000 end=0x180000 file=1
 map pid=10 ns=3000 start=0x120000 end=0x190000
 proc op=fork ns=5000 pid=11 ppid=7 comm=child
 end
file cpu-0.rec
 sample tsc=2000 flags=NU pid=7 ip=0x121010
 sample tsc=4000 flags=NU pid=7 ip=0x121010 repeat=2 step=1
 sample tsc=8500 flags=NU pid=7 ip=0x121010 repeat=3 step=1
 sample tsc=4000 flags=NU pid=8 ip=0x121010 repeat=4 step=1
 sample tsc=4000 flags=NU pid=9 ip=0x121010 repeat=5 step=1
 sample tsc=4000 flags=NU pid=10 ip=0x121010 repeat=6 step=1
 sample tsc=6000 flags=NU pid=11 ip=0x121010 repeat=7 step=1
EOT
"$TOP"/tests/gen/mksession.py d s
"$VMMPROF" report -i s --sort process,function,module 2>/dev/null |
	sed -n '/Function/,/^$/p'
