#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stripped file's functions get their bounds from .eh_frame, and names from
# debug files with its build-id when the session is read: of a directory that is
# named, of $VMMPROF_DEBUG_DIR, of a file that the host had mapped.  What does not
# fit is told and not used.
cat > prog.c <<'END'
#include <stdlib.h>
static int __attribute__((noinline)) hidden_one(int x) { return rand() + x * 7; }
static int __attribute__((noinline)) hidden_two(int x)
{ return x > 5 ? hidden_one(x - 1) : abs(rand()) + x; }
int main(int argc, char **argv) { (void)argv; return hidden_two(argc); }
END
gcc -O1 -pie -fPIE -Wl,-z,lazy -Wl,--build-id -o full prog.c
strip -o prog full
objcopy --only-keep-debug full only.debug
chmod 755 prog full only.debug
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
head=$(echo "$id" | cut -c1-2) tail=$(echo "$id" | cut -c3-)
seg=$(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2 ":" $3 ":" $5}')
addr() { nm full | awk -v n="$1" '$3 == n {print "0x" $1}'; }
one=$(addr hidden_one) two=$(addr hidden_two) main=$(addr main)
size() { nm -S full | awk -v n="$1" '$4 == n {print "0x" $2}'; }
stub=0x$(objdump -d prog | sed -n 's/^0*\([0-9a-f]*\) <rand@plt>:$/\1/p')

# session PATH FLAGS: the host has PATH, the guest's bundle what a stripped file gives
session()
{
	cat > d <<EOT
file info
  event index=0 type=1 config=0 period=1000000 name=cpu-clock
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$1 build_id=$id $2
  map pid=9 start=0x10000 end=0x30000 file=1
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x2000 pid=7 comm=gprog
  proc op=snap ns=0 pid=7 comm=gprog
  file_item id=1 path=/opt/gprog build_id=$id
  map pid=7 start=0x10000 end=0x30000 file=1
  symtab file=1 seg=$seg sym=$one:$(size hidden_one):,$two:$(size hidden_two):,$main:$(size main):
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=NU pid=9 ip=$((0x10000 + one + 1)) repeat=40
  sample tsc=11 flags=NU pid=9 ip=$((0x10000 + two)) repeat=30
  sample tsc=12 flags=NU pid=9 ip=$((0x10000 + stub + 6)) repeat=20
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$((0x10000 + one)) repeat=50
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$((0x10000 + two + 1)) repeat=60
  sample tsc=22 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$((0x10000 + main)) repeat=10
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
}
report() { "$VMMPROF" report -i s "$@" > out 2> err; }
has() { grep -q -- "$1" out || { echo "no $1"; cat out err; exit 1; }; }
absent() { ! grep -q -- "$1" out || { echo "there is $1"; cat out; exit 1; }; }
# share FUNCTION SAMPLES
share() { has "^ *$2  *[0-9.]*  $1  "; }
short() { printf '%#x' "$1"; }

# Bounds: each function is a row of its own, with the address that objdump shows.
session "$PWD/prog" flags=32
report
test ! -s err
share "prog+$(short "$one")" 40
share "prog+$(short "$two")" 30
share rand@plt 20
share "gprog+$(short "$two")" 60
share "gprog+$(short "$main")" 10
absent 'between the symbols'
absent unresolved

# A directory of debug files, as gdb has it.
mkdir -p dbg/.build-id/"$head"
cp only.debug dbg/.build-id/"$head/$tail.debug"
named()
{
	test ! -s err || { cat err; exit 1; }
	share hidden_one 40
	share hidden_two 30
	share rand@plt 20
	share hidden_two 60
	share main 10
	absent 'prog+0x'
}
report --debug-dir dbg
named
VMMPROF_DEBUG_DIR=/nowhere:dbg "$VMMPROF" report -i s > out 2> err
named
report --debug-dir /nowhere --debug-dir "$PWD/dbg"
named

# Every verb has them.
for verb in 'script -F sym' 'export --format json' \
	'report --json' 'report --csv'; do
	"$VMMPROF" $verb -i s --debug-dir dbg > out 2> err
	case $verb in script*|report*|export*) has hidden_two; absent prog+0x ;; esac
done
"$VMMPROF" diff --debug-dir dbg s s > out
has hidden_two
absent prog+0x
"$VMMPROF" annotate -i s --debug-dir dbg --code-from prog hidden_two > out 2> err
has "^hidden_two "
has 'call.*<rand@plt>'
has 'call.*<hidden_one>'
absent _init
"$VMMPROF" annotate -i s --code-from prog "prog+$(short "$two")" > out 2> err
has "call.*<prog+$(short "$one")"

"$VMMPROF" exits -i s --debug-dir dbg > out 2>&1 || test $? -eq 1
"$VMMPROF" timeline --perfetto -i s --debug-dir dbg > out 2>&1 || test $? -eq 1

# perf's cache of build-ids has another layout.
mkdir -p perf/.build-id/"$head/$tail"
cp full perf/.build-id/"$head/$tail"/elf
report --debug-dir perf
named

# Another file in its place.
echo 'int other(void) { return 1; }' > other.c
gcc -shared -Wl,--build-id -o other other.c
mkdir -p wrong/.build-id/"$head"
cp other wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q "^vmmprof: warning: wrong/.build-id/$head/$tail.debug: not used for the names of .*/g*prog: its build-id is another one, or missing$" err

# The build-id is right, but the code is elsewhere.
gcc -shared -Wl,--build-id=0x"$id" -Wl,-Ttext=0x900000 -o moved other.c
cp moved wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q ': it has functions outside of that file.s code$' err

# A damaged one.
head -c 40 only.debug > wrong/.build-id/"$head/$tail.debug"
report --debug-dir wrong
share "prog+$(short "$one")" 40
grep -q ': it is no ELF file, or damaged$' err

# The host's own file names a guest's functions only if it is root's alone.
if [ "$(id -u)" -eq 0 ]; then
	session "$PWD/full" flags=32
	report
	named
	session "$PWD/full" flags=0
	report
	share hidden_one 40
	share "gprog+$(short "$two")" 60
	session "$PWD/full" flags=32
	chown 65533 full
	report
	share "gprog+$(short "$two")" 60
fi
