#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory does not grow with the recording: ten times the records, the same
# peak.  RECORDS: of the longer one.
: "${RECORDS:=500000}"
"$TOP"/tests/gen/longsession.py $((RECORDS / 10)) short
"$TOP"/tests/gen/longsession.py "$RECORDS" long
peak() {
	python3 - "$TOP"/build/vmmprof "$1" << 'EOF'
import resource, subprocess, sys
subprocess.run([sys.argv[1], 'steal', '-i', sys.argv[2], '--json'], check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
EOF
}
a=$(peak short)
b=$(peak long)
echo "peak RSS: $a KiB with $((RECORDS / 10)) records, $b KiB with $RECORDS"
# Pages are taken in pieces; a record of 80 bytes kept would be 36000 KiB.
[ "$b" -le $((a + 1024)) ]
