# SPDX-License-Identifier: GPL-2.0-only
# What the cases of debug files share (sourced): a program full, its stripped
# copy prog, its debug file only.debug, its build-id $id as $head and $tail; and
# sessions in which host and guest ran it.
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
