#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A measurement of so many ticks that two vCPUs have more than 64 bits of them
# (and slices of it end beyond): sums stop at the largest number and that is
# told; no part is more than its whole; the panels are drawn and hear keys.
. "$CASES/tui.sh"
cat > d << 'END'
file info
  text hostname=h tsc_khz=1000000
  event index=0 type=0 config=9 period=1 name=ref-cycles
  switches on=1
  vm pid=1 name=web nr_vcpus=3
  vcpu pid=1 tid=2 id=0 comm=v
  vcpu pid=1 tid=3 id=1 comm=v
  vcpu pid=1 tid=4 id=2 comm=v
  vcpu_state pid=1 tid=3 when=start state=halted tsc=7
  vcpu_state pid=1 tid=3 when=stop state=halted tsc=17999999999999999999
  vcpu_state pid=1 tid=4 when=start state=halted tsc=7
  vcpu_state pid=1 tid=4 when=stop state=halted tsc=17999999999999999999
  stop start=5 stop=18446744073709551615
  end
file host
  end
file cpu-0.rec
  out tsc=10 pid=1 tid=2 vcpu=0 flags=R comm=x opid=9 otid=9
  sample tsc=4000 flags=N pid=9 tid=9 cpl=3
  switch tsc=17000000000000000000 pid=9 tid=9 opid=8 otid=8
  in tsc=17999999999999999999 pid=1 tid=2 vcpu=0 comm=x opid=8 otid=8
END
"$TOP"/tests/gen/mksession.py d s
told='sums stop at 2^64-1'
for verb in report steal 'steal --by thief' 'report --json' 'steal --json' \
	'timeline --csv' 'timeline --from 1e8' 'export -f speedscope' 'export -f firefox' \
	'report --html page'; do
	timeout 20 "$VMMPROF" $verb -i s > out 2> err
done
"$VMMPROF" report -i s 2> err | grep -qF "WARNING: numbers too large: $told"
grep -qF "$told" err
"$VMMPROF" steal -i s 2> /dev/null | grep -qF "WARNING: numbers too large: $told"
"$VMMPROF" report -i s --json 2> /dev/null | grep -q '"sums_too_large": true'
"$VMMPROF" steal -i s --json 2> /dev/null > steal.json
python3 - << 'END'
import json
d = json.load(open('steal.json'))
assert d['sums_too_large']
web = d['guests'][0]
states = [s + '_ns' for s in ('guest', 'vmm', 'steal', 'halt', 'blocked',
                              'unknown')]
for r in [web] + web['vcpus']:
    assert all(r[s] <= r['total_ns'] for s in states), r
assert web['halt_ns'] == web['total_ns'] == 2**64 - 1, web
assert all(sum(v[s] for s in states) == v['total_ns'] for v in web['vcpus'])
END
tui_start 150 30
tui_type "$VMMPROF" report --tui -i s
tui_wait "^VMs .*$told"
tui_wait '^web  '
tui_keys Down Enter
tui_wait '^VMs > web'
tui_keys Tab m Right Right Right m
tui_still
tui_keys Q
tui_sane '^\$'
