#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What report and export need does not grow with the number of samples, but
# with what is told apart: few functions and processes, which all come early.
peak() {
	python3 - "$TOP"/build/vmmprof "$@" << 'EOF'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
EOF
}
for n in 200000 1000000; do
	"$TOP"/build/gen/bigsession -n $n -g 2 -v 2 -p 4 -f 50 s$n
done
for verb in report 'export -f csv'; do
	a=$(peak $verb -i s200000)
	b=$(peak $verb -i s1000000)
	echo "$verb: $a KiB with 200000 samples, $b KiB with 1000000"
	# Pages are taken in pieces; 8 bytes a sample kept would be 6250 KiB.
	[ "$b" -le $((a + 1024)) ]
done
