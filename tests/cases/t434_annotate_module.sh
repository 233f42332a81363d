# SPDX-License-Identifier: GPL-2.0-only
# Source lines of a module's functions: out of the module or its debug file,
# which nobody has linked, each section where the guest had loaded it; and of a
# kernel of which there is the debug file only.
. "$CASES/annotate.sh"
cat > m.c <<'EOT'
static volatile int counter;
__attribute__((section(".text.unlikely"))) int before(int a)
{
	return a - 1;
}
int first(int a)
{
	return a * 3;
}
static inline int twice(int a)
{
	return a + a;
}
int inmod(int a)
{
	int b = twice(a);

	while (b < 1000)
		b += 7;
	return b;
}
static __attribute__((noinline)) int same(int a) { return a + counter; }
int uses(int a) { return same(a); }
EOT
echo 'static __attribute__((noinline)) int same(int a) { return a; }
int uses2(int a) { return same(a); }' > n.c
for f in m n; do
	gcc -g -O1 -fno-pic -c $f.c
done
ld -r --build-id -o mod.ko m.o n.o
gcc -g -O1 -nostdlib -static -fno-pic -Wl,--build-id \
	-Wl,-Ttext=0xffffffff81000000 -Wl,-efirst -o vmlinux m.o
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
id=$(build_id mod.ko) kernel=$(build_id vmlinux)
[ -n "$id" ]
objcopy --only-keep-debug mod.ko mod.debug
objcopy --only-keep-debug vmlinux vmlinux.debug
# bytes FILE FUNCTION: that it has
bytes()
{
	objdump -d "$1" | awk -v f="<$2>:" '/^[0-9a-f]+ </ { here = $2 == f }
		here && /^ *[0-9a-f]+:/ { split($0, part, "\t"); printf "%s", part[2] }' |
		tr -d ' '
}
# session ID: of the module, where its functions were loaded
session()
{
	cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000 kernel_build_id=$kernel module.mo=11 module.mod=$1 module.mode=22
  clock tsc=0 mono=0
  kallsyms
    ffffffff9f000000 T startup
    ffffffff9f001230 T first
    ffffffff9f001300 T _etext
    ffffffffc0001000 t inmod\\t[mod]
    ffffffffc0001100 t same\\t[mod]
    ffffffffc0001200 t behind\\t[mod]
    ffffffffc0007000 t before\\t[mod]
    ffffffffc0007100 t last\\t[mod]
  .
  modules
    mod 32768 0 - Live 0xffffffffc0001000
  .
  code addr=0xffffffffc0001000 bytes=$(bytes mod.ko inmod)
  code addr=0xffffffffc0001100 bytes=$(bytes n.o same)
  code addr=0xffffffffc0007000 bytes=$(bytes mod.ko before)
  code addr=0xffffffff9f001230 bytes=$(bytes vmlinux first)
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
EOT
	for at in ffffffffc0001000 ffffffffc0001003 ffffffffc0001100 \
		ffffffffc0007000 ffffffff9f001230; do
		echo "  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=0x$at"
	done >> d
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
}
# lines FUNCTION [OPTION...]: of the instructions with samples
lines()
{
	"$VMMPROF" annotate -i s --guest web --json "$@" > a 2> said
	python3 - <<'EOT'
import json
p, = json.load(open('a'))['places']
assert p['code'] == "the guest's bundle", p['code']
print(p['function'], *(' < '.join([l.get('source', '-')] + [
      i['function'] + '@' + i['called_at'] for i in l.get('inlined', [])])
      for l in p['lines'] if l['samples']))
EOT
}
session "$id"
lines inmod
for f in mod.ko mod.debug; do
	lines inmod --code-from $f
	lines before --code-from $f
	# two functions have that name: which of them it is nobody knows
	lines same --code-from $f
done
lines first --code-from mod.ko
lines first --code-from vmlinux
lines first --code-from vmlinux.debug
echo "-- another module of that name"
session "${id%??}00"
lines inmod --code-from mod.ko
