# SPDX-License-Identifier: GPL-2.0-only
# This machine has no vmmprof.ko: said, with a remedy, as text and as JSON.
status=0
"$VMMPROF" doctor > text || status=$?
if [ ! -e /sys/module/vmmprof ]; then
	test $status -eq 1
	grep -A 1 '^fail  module  *vmmprof.ko is not loaded' text |
		grep -q -- '-> *make kmod && insmod'
fi
"$VMMPROF" doctor --json > json || :
python3 - << 'END'
import json
d = json.load(open('json'))
text = open('text').read().splitlines()
lines = [l for l in text if not l.startswith(' ')]
assert len(lines) == len(d['findings']) > 5, (lines, d)
for line, f in zip(lines, d['findings']):
    assert line.split()[0] == f['verdict'] and f['subject'] in line, (line, f)
order = ['ok', 'warn', 'fail']
worst = max((f['verdict'] for f in d['findings']), key=order.index)
assert d['verdict'] == worst
END
status=0
"$VMMPROF" doctor more 2> err || status=$?
test $status -eq 2
# Servers of debugging information: whether any is asked, and can be.
grep -q '^ok  *debuginfod  *DEBUGINFOD_URLS is not set: ' text
export DEBUGINFOD_URLS="http://127.0.0.1:1/$(printf '\033')[2J"
"$VMMPROF" doctor > text || :
grep -q '^ok  *debuginfod  *`annotate` asks http://127.0.0.1:1/\\x1b\[2J$' text
mkdir lib
: > lib/libdebuginfod.so.1
LD_LIBRARY_PATH=$PWD/lib "$VMMPROF" doctor > text || :
grep -A 1 '^warn  *debuginfod  *DEBUGINFOD_URLS is set, libdebuginfod.so.1 is not' text |
	grep -q -- '-> *apt install libdebuginfod1'
