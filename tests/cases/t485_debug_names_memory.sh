#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Of a guest that was read from its memory, programs have names by debug files of
# the host: a PIE and one at a fixed address, of which the guest's memory had the
# segments alone.  Of what had not even these the file itself is needed.  Without
# debug files the cause is told.
cat > prog.c <<'END'
#include <stdlib.h>
static int __attribute__((noinline)) hidden_one(int x) { return rand() + x * 7; }
static int __attribute__((noinline)) hidden_two(int x)
{ return x > 5 ? hidden_one(x - 1) : abs(rand()) + x; }
int main(int argc, char **argv) { (void)argv; return hidden_two(argc); }
END

# program HOW: its samples at $one, $two and $main, $map and $seg, its debug file
program()
{
	case $1 in
	pie) gcc -O1 -pie -fPIE -Wl,--build-id -o "$1" prog.c ;;
	fixed) gcc -O1 -no-pie -fno-pie -Wl,--build-id -o "$1" prog.c ;;
	esac
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	dir=dbg/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$dir"
	objcopy --only-keep-debug "$1" "$dir/$(echo "$id" | cut -c3-).debug"
	# offset, address and size of what is executable
	set -- "$1" $(readelf -lW "$1" | awk '$1 == "LOAD" && / R E /{print $2, $3, $5}')
	base=0
	[ "$1" = fixed ] || base=0x555555554000
	seg=$2:$3:$4
	map="start=$((base + $3)) end=$((base + $3 + 0x1000)) pgoff=$2"
	for f in hidden_one hidden_two main; do
		eval "$f=\$((base + 0x$(nm "$1" | awk -v n=$f '$3 == n { print $1 }')))"
	done
}

session()
{
	program "$1"
	cat > d <<EOT
file info
  event index=0 type=1 config=0 period=1000000 name=cpu-clock
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  memory pid=50 tsc=1 took=1000 reads=9 bytes=9 processes=1 files=1
  reach pid=50 how=6
  end
file guests/web.bundle
  text from=memory method=memory phys_mask=0xffffffffff000
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x2000 pid=7 comm=gprog
  proc op=snap ns=0 pid=7 comm=gprog
  image pid=7 mm=0x1000 ns=0 until=100
  file_item id=0 path=/opt/gprog build_id=$id flags=128
  map pid=7 $map file=0
  $2
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  identity tsc=2 id=16 pid=50 tgid=7 mm=0x1000 comm=gprog
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$hidden_one who=16 repeat=50
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$((hidden_two + 1)) who=16 repeat=60
  sample tsc=22 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$main who=16 repeat=10
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
}
has() { grep -q -- "$1" out || { echo "no $1"; cat d out; exit 1; }; }

for how in pie fixed; do
	for known in segments nothing; do
		session $how
		case $known in
		segments) session $how "symtab file=0 seg=$seg" ;;
		nothing) cp $how "$dir/$(echo "$id" | cut -c3-).debug" ;;
		esac
		"$VMMPROF" report -i s > out 2>&1
		has "^ *120 .*symbols not in the guest's memory"
		"$VMMPROF" report -i s --debug-dir dbg > out 2>&1
		has '^ *50  *[0-9.]*  hidden_one  '
		has '^ *60  *[0-9.]*  hidden_two  '
		has '^ *10  *[0-9.]*  main  '
	done
done
