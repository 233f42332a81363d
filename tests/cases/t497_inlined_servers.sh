#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --inline: by debug files of a debuginfod server, of the host's programs or, with
# "all", of guests', too; asked for only if the user says so, each once. What comes and
# is another file's adds no frame.
. "$CASES/debuginfod.sh"
cat > prog.c <<'EOT'
static inline __attribute__((always_inline)) int inner(int n)
{
	return n * n + 7;
}

__attribute__((noinline)) int spin(int n)
{
	return inner(n) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return spin(argc);
}
EOT
# program NAME ID: stripped; what was stripped is on the server
program()
{
	gcc -O2 -g -fno-ipa-icf -fno-inline-functions -no-pie -Wl,--build-id=0x$2 -o full prog.c
	mkdir -p www/buildid/$2
	objcopy --only-keep-debug full www/buildid/$2/debuginfo
	strip -o $1 full
	chmod 755 $1
}
id=00112233445566778899aabbccddeeff00112233
gid=ff112233445566778899aabbccddeeff00112244
program gprog $gid
program prog $id
hit=0x$(objdump -d --no-show-raw-insn full | sed -n '/<spin>:/,/^$/s/^ *\([0-9a-f]*\):.*imul.*/\1/p')
rm full gprog
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
ip=$((hit - $2 + $1 + 0x10000))
cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$PWD/prog build_id=$id
  map pid=9 start=0x10000 end=0x90000 file=1
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x2000 pid=7 comm=gprog
  proc op=snap ns=0 pid=7 comm=gprog
  file_item id=1 path=/opt/gprog build_id=$gid
  map pid=7 start=0x10000 end=0x90000 file=1
  symtab file=1 seg=$1:$2:0x1000 sym=$hit:0x4:spin
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=NU pid=9 ip=$ip chains=1
  chain uend=1
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=$ip chains=1
  chain flags=G uend=1
EOT
"$TOP"/tests/gen/mksession.py d s
server=
trap '[ -z "$server" ] || kill $server' EXIT
server_start
folded() { "$VMMPROF" report s -g folded --inline --sort vm,sym "$@" > out 2> err; cat err; }
# frames N: of N samples spin has one of the inlined function
frames()
{
	test "$(grep -c '^ *1  spin;inner (inlined)$' out)" -eq $1 || { cat out err; exit 1; }
	test "$(grep -c inlined out)" -eq $1
}
asked() { test "$(cat asked)" = "$1" || { cat asked; exit 1; }; }

folded
frames 0
asked ''
folded --debuginfod host
frames 1
asked "/buildid/$id/debuginfo"
# what lies in the cache is not asked for again
folded --debuginfod all
frames 2
asked "/buildid/$id/debuginfo
/buildid/$gid/debuginfo"
"$VMMPROF" report s --html page --inline --debuginfod host
grep -q '"inner (inlined)"' page

# another file under the build-id of the host's program
rm -rf cache cache-vmmprof
echo 'int main(void) { return 0; }' > other.c
gcc -g -Wl,--build-id -o www/buildid/"$id"/debuginfo other.c
folded --debuginfod all > said
frames 1
grep -q 'debuginfod: not used for .*/prog: what came is another file' said
