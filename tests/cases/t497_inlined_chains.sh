#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --inline: functions that the compiler put into others are frames of chains, of
# the function that was hit and of its callers; in pprof lines of one location.
export PYTHONDONTWRITEBYTECODE=1
cat > prog.c <<'EOT'
static inline __attribute__((always_inline)) int inner(int n)
{
	return n * n + 7;
}

static inline __attribute__((always_inline)) int middle(int n)
{
	return inner(n) ^ 3;
}

__attribute__((noinline)) int spin(int n)
{
	return middle(n) + 1;
}

static inline __attribute__((always_inline)) int outer(int n)
{
	return spin(n) + 2;
}

int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) + 1;
}
EOT
gcc -O2 -g -fno-ipa-icf -fno-inline-functions -no-pie -Wl,--build-id -o prog prog.c
chmod 755 prog
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
objdump -d --no-show-raw-insn prog > code
at() { sed -n "/<$1>:/,/^\$/p" code | grep -A"$3" "$2" | tail -n 1 | sed 's/^ *\([0-9a-f]*\):.*/0x\1/'; }
hit=$(at spin imul 0)
ret=$(at main 'call.*<spin>' 1)
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
# session NAME FILE
session() {
	cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000000 name=ref-cycles
  end
file host
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$2 build_id=$id
  map pid=9 start=0x10000 end=0x90000 file=1
  end
file cpu-0.rec
  sample tsc=1 flags=NU pid=9 ip=$((hit - $4 + $3 + 0x10000)) repeat=9 chains=1
  chain user=$((ret - $4 + $3 + 0x10000)) uend=1
EOT
	"$TOP"/tests/gen/mksession.py d $1
}
session s "$PWD/prog" $1 $2
tail='main;outer (inlined);spin;middle (inlined);inner (inlined)'
"$VMMPROF" report s -g folded --inline --sort sym | grep -qx "  *9  $tail"
"$VMMPROF" report s -g folded --sort sym | grep -qx '  *9  main;spin'
"$VMMPROF" export s -f folded --inline | grep -qx "host;-;prog;$tail 9"
"$VMMPROF" export s -f folded | grep -qx 'host;-;prog;main;spin 9'
"$VMMPROF" report s --children --inline --sort sym,dso | grep prog | tr -s ' ' | sort -k5
"$VMMPROF" report s --sort parent --parent '^outer$' -g none --children --inline | grep -q 'outer$'
for f in pprof speedscope; do
	"$VMMPROF" export s -f $f --inline -o s.$f
	"$VMMPROF" export s -f $f -o plain.$f
done
grep -q '"inner (inlined)"' s.speedscope
! grep -q inlined plain.speedscope
python3 - <<EOT
import gzip, sys
sys.path.insert(0, '$CASES')
from protofields import fields


def stack(name):
    parts = {}
    for field, value in fields(gzip.open(name).read()):
        parts.setdefault(field, []).append(value)
    text = [t.decode() for t in parts[6]]
    names = {f[1]: text[f[2]] for f in map(dict, map(fields, parts[5]))}
    lines = {}
    for m in parts[4]:
        at = dict(fields(m))[1]
        lines[at] = [names[dict(fields(v))[1]] for k, v in fields(m) if k == 4]
    samples = [[lines[v] for k, v in fields(m) if k == 1] for m in parts[2]]
    assert len(samples) == 1, samples
    return samples[0]


assert stack('s.pprof') == [['inner', 'middle', 'spin'], ['outer', 'main']], \
    stack('s.pprof')
assert stack('plain.pprof') == [['spin'], ['main']]
EOT
# without the file nothing is known of it
session gone "$PWD/nothing" $1 $2
"$VMMPROF" report gone -g folded --inline | grep -c inlined || :
