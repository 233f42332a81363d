#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --inline: functions that are inlined in those of kernel modules, of the host and
# of a guest, are frames by debug files with their build-ids, which nobody has
# linked: each section is where its kernel has loaded it. By another build's file, or
# without any, nothing is.
cat > m.c <<'EOT'
volatile int level;

static inline __attribute__((always_inline)) int inner(int n)
{
	return n * n + level;
}

static inline __attribute__((always_inline)) int middle(int n)
{
	return inner(n) ^ 3;
}

__attribute__((noinline, section(".text.unlikely"))) int slow(int n)
{
	return middle(n) + 1;
}

__attribute__((noinline)) int quick(int n)
{
	return slow(n) + inner(n);
}
EOT
gcc -O2 -g -fno-ipa-icf -fno-inline-functions -ffreestanding -fno-pic -mcmodel=kernel -c m.c
ld -r --build-id -o demo.ko m.o
id=$(readelf -n demo.ko | sed -n 's/.*Build ID: //p')
[ -n "$id" ]
objcopy --only-keep-debug demo.ko demo.debug
# at FUNCTION PATTERN AFTER: how far in the function that instruction is
at()
{
	objdump -d --no-show-raw-insn demo.ko | sed -n "/<$1>:/,/^\$/p" > code
	a=$((0x$(sed -n "1s/^0*\([0-9a-f]*\) .*/0\1/p" code)))
	b=$(grep -A"$3" -- "$2" code | tail -n 1 | sed 's/^ *\([0-9a-f]*\):.*/0x\1/')
	echo $((b - a))
}
hit=$(at slow imul 0)
ret=$(at quick 'call' 1)
# modules BASE ID: where quick is, and 16 MiB above it slow, as a kernel tells that
modules()
{
	cat <<EOT
  kallsyms
    ffffffff81000000 T startup
    ffffffff81000f00 T _etext
    ffffffff$(printf %x $(($1)))0000 t quick	[demo]
    ffffffff$(printf %x $(($1 + 0x100)))0000 t slow	[demo]
  .
  modules
    demo 33619968 0 - Live 0xffffffff$(printf %x $(($1)))0000
  .
EOT
}
# addr BASE OFFSET
addr() { printf '0xffffffff%x%04x' $(($1)) $(($2)); }
session()
{
	cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  text from=record module.demo=$1 release=none boot_id=none
  clock tsc=0 mono=0
$(modules 0xc010)
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000 module.demo=$1 release=none
  clock tsc=0 mono=0
$(modules 0xc0a0)
  mm op=init ns=0 key=0x1000
  mm op=snap ns=0 key=0x2000 pid=9 comm=prog
  proc op=snap ns=0 pid=9 comm=prog
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=N ip=$(addr 0xc110 $hit) chains=1
  chain kernel=$(addr 0xc010 $ret) kend=1
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=$(addr 0xc1a0 $hit) repeat=2
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
}
folded() { "$VMMPROF" report s -g folded --inline --sort sym "$@" > out 2> err; }
chmod 755 .
session "$id"
for form in .build-id/%.2s/%s.debug .build-id/%.2s/%s; do
	for from in demo.ko demo.debug; do
		rm -rf dir
		to=dir/$(printf $form $id $(echo $id | cut -c3-))
		mkdir -p $(dirname $to)
		cp $from $to
		chmod 644 $to
		folded --debug-dir dir
		grep -x '  *1  quick;slow;middle (inlined);inner (inlined)' out
		grep -x '  *2  .*slow;middle (inlined);inner (inlined)' out
	done
done
folded
grep -c inlined out || :
# another build's file in its place
session "$(echo "$id" | tr 0-9a-f 1-9a-f0)"
mv dir/.build-id/* t
other=$(echo "$id" | tr 0-9a-f 1-9a-f0)
mkdir dir/.build-id/$(echo $other | cut -c-2)
cp t/* dir/.build-id/$(echo $other | cut -c-2)/$(echo $other | cut -c3-)
folded --debug-dir dir
grep -x '  *1  quick;slow' out
grep -c inlined out || :
