#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# LONG
# 20 guests with 1,000 vCPUs and 10,000 processes, names of 2,000 characters
# and guests whose names are orders to a terminal: every view is there in time,
# and all have the same numbers.
export PYTHONDONTWRITEBYTECODE=1
case $VMMPROF in
*/asan/*)
	[ -z "$QUICK" ] || exit 0 # the longest of all, and the other one is tried
	n=4000 limit=60
	;;
*) n=10000 limit=20 ;;
esac
"$TOP"/build/gen/bigsession -n $n -g 20 -v 50 -p 500 -f 300 -l 2000 -x s

# bounded COMMAND...: in CPU seconds, and no byte of a name is an order
bounded() {
	(ulimit -t $limit && "$VMMPROF" "$@" > out 2> err)
	[ ! -s err ]
	if LC_ALL=C grep -aq "$(printf '[\001-\010\013-\037\177]')" out; then
		echo "$*: a control character"
		return 1
	fi
}
bounded report -v -i s -n 0
grep -q "^Total samples: $n " out
grep -q "= samples taken  *$n\$" out
bounded steal -i s
test "$(grep -c '^  vCPU [0-9]*  *% ' out)" -eq 1000
bounded timeline -i s
test "$(grep -c '^vm\\x.* vCPU [0-9]*$' out)" -eq 1000
test "$(grep -c '^  [a-z ]* *[0-9.]* |.*|$' out)" -ge 1000
bounded diff s s
python3 "$CASES"/t430_diff.py same s
python3 "$CASES"/t450_timeline.py s
bounded report -i s -n 0 --json
python3 - $n << 'END'
import json, sys
said = json.load(open('out'))
assert sum(r['samples'] for r in said['host']['rows']) == int(sys.argv[1])
names = {r['function'] for g in said['guests'] for r in g['rows']}
for kind in 'ku':
    assert any(f.startswith(kind + '_function_') for f in names)
assert all(len(f) == 2000 for f in names)
END
bounded steal -i s --json
python3 - << 'END'
import json
said = json.load(open('out'))
states = ('guest', 'vmm', 'steal', 'halt', 'blocked', 'unknown')
vcpus = [v for g in said['guests'] for v in g['vcpus']]
assert len(vcpus) == 1000
for part in said['guests'] + vcpus:
    # each of them is rounded
    assert abs(sum(part[k + '_ns'] for k in states) - part['total_ns']) < 6, part
assert len({g['name'] for g in said['guests']}) == 20
END

bounded report -i s --html page
python3 "$CASES"/t440_html.py page s
python3 "$CASES"/t400_export.py s

python3 "$CASES"/t450_tui.py s

# A name that is cut says so, wherever the end of it stands.
bounded report -i s -n 20
! sed '/^Host and/q' out | grep -qE '^.{81}' || exit 1
sed -i '1,/^Host and/d' out
grep -q '^ .* k_function_0_[a-z_]*\.\.\.  vmlinux$' out
test "$(grep -c '[ku]_function_' out)" -eq "$(grep -c '[a-z]\{450\}\.\.\.' out)"
bounded timeline -i s
grep -q '^    vm\\x1b[^ ]* *[0-9.]* |' out
! grep -qE '^.{81}' out || exit 1
bounded annotate -i s "$(python3 -c "
import json, subprocess, os
said = json.loads(subprocess.run([os.environ['VMMPROF'], 'report', '-i', 's', '--json'],
                                 stdout=subprocess.PIPE, check=True).stdout)
print(said['host']['rows'][0]['function'])")"
grep -q '^k_function_0_[a-z_]*\.\.\. \[vmlinux\], host: ' out

. "$CASES/tui.sh"
tui_start 80 24
tui_type TERM=screen "$VMMPROF" report --tui -i s ';' echo 'status $?'
tui_wait "vmmprof .* $n samples"
tui_wait '^vm\\x1b\[2J.* [0-9.]*% '
tui_keys Down Enter
tui_wait '^VMs > vm'
tui_keys Down Enter
tui_wait '> vCPU 0'
tui_keys End
tui_still
test "$(tui_screen | wc -l)" -eq 24
tui_keys q q q
tui_wait 'status 0'
