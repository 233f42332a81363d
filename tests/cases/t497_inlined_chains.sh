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
! grep -q inlined plain.speedscope || exit 1
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
# every view of chains has them
"$VMMPROF" export s -f perf-script --inline | sed -n 's/^\t *[0-9a-f]* \(.*\) (.*/\1/p' | tr '\n' ';' | grep -q '^inner (inlined);middle (inlined);spin;outer (inlined);main;'
"$VMMPROF" export s -f perf-script | grep -c inlined || :
"$VMMPROF" report s --html page --inline
grep -q '"inner (inlined)"' page
"$VMMPROF" diff s s -g --inline | grep -q "$tail"
"$VMMPROF" diff s s --html page --inline
grep -q '"inner (inlined)"' page

# in panels, too, where Enter shows the function that contains it
. "$CASES/tui.sh"
tui_start 100 24 "$VMMPROF" report --tui --inline -i s
tui_wait '^ *9 *100 .* spin'
tui_keys Tab E
tui_wait ' inner (inlined) '
tui_keys Down Down
tui_keys Enter
tui_wait '^main \[prog\], host: 9 samples'
tui_wait '^ *9  *100\.00 .*<spin>'
tui kill-server

# of a guest's file, and of kernels that KASLR moved, by their build-ids from
# wherever names come from
cat > kernel.c <<'EOT'
static inline __attribute__((always_inline)) long inner(long n)
{
	return n * n + 7;
}

__attribute__((noinline)) long copy(long n)
{
	return inner(n) + 1;
}

long startup(long n)
{
	return copy(n) + 1;
}
EOT
gcc -O2 -g -ffreestanding -fno-ipa-icf -fno-inline-functions -mcmodel=kernel -fno-pic -no-pie -nostdlib -static \
	-fno-toplevel-reorder -Wl,--build-id -Wl,-Ttext=0xffffffff81000000 -Wl,-estartup -o vmlinux kernel.c
kid=$(readelf -n vmlinux | sed -n 's/.*Build ID: //p')
objdump -d --no-show-raw-insn vmlinux > code
khit=$(at copy imul 0)
kret=$(at startup 'call.*<copy>' 1)
kernel() {
	echo "  kallsyms"
	nm -n vmlinux | sed -n "s/^ffffffff81\(.* T \)/    ffffffff$1\1/p"
	echo "    ffffffff${1}000f00 T _etext"
	echo "  ."
}
moved() { printf '0xffffffff%s%s' $1 "$(echo $2 | tail -c 7)"; }
cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  text from=record kernel_build_id=$kid release=none boot_id=none
  clock tsc=0 mono=0
$(kernel a2)
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000 kernel_build_id=$kid release=../none
  clock tsc=0 mono=0
$(kernel 9f)
  mm op=init ns=0 key=0x1000
  mm op=snap ns=0 key=0x2000 pid=9 comm=prog
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=/gone/prog build_id=$id
  map pid=9 start=0x10000 end=0x90000 file=1
  symtab file=1 seg=$1:$2:0x1000 sym=$(nm -S prog | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) T \(main\|spin\)$/0x\1:0x\2:\3/p' | paste -sd,)
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=N ip=$(moved a2 $khit) chains=1
  chain kernel=$(moved a2 $kret) kend=1
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=$(moved 9f $khit)
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$((hit - $2 + $1 + 0x10000)) chains=1
  chain flags=G user=$((ret - $2 + $1 + 0x10000)) uend=1
EOT
rm -rf s
"$TOP"/tests/gen/mksession.py d s
chmod 644 vmlinux prog
chmod 755 .
for form in .build-id/%.2s/%s.debug .build-id/%.2s/%s .build-id/%.2s/%s/debug kept; do
	rm -rf dir
	for i in $id:prog $kid:vmlinux; do
		case $form in
		kept) to=dir/${i%:*}/debuginfo ;;
		*) to=dir/$(printf $form $i $(echo ${i%:*} | cut -c3-)) ;;
		esac
		mkdir -p $(dirname $to)
		cp ${i#*:} $to
	done
	"$VMMPROF" report s -g folded --inline --debug-dir dir --sort sym > out
	grep -x "  *1  startup;copy;inner (inlined)" out
	grep -x "  *1  .*copy;inner (inlined)" out | grep -v startup
	grep -x "  *1  $tail" out
done
"$VMMPROF" report s -g folded --inline --sort sym | grep -c inlined || :
