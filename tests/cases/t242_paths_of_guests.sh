#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Nothing that a guest or a session calls a path is looked for on this machine,
# not even a file that is there and the same by its build-id; but a host's is, and
# debug files, whose names are made of build-ids.
printf 'int spin(int n) { return n * 3; }\nint main(void) { return spin(0); }\n' > prog.c
gcc -g -O0 -no-pie -Wl,--build-id -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
# link address -> file offset of the executable segment, both in pages
addr=0x$(nm prog | sed -n 's/ T spin$//p')
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
off=$((addr - $2 + $1))
chmod 755 . prog
itself=/proc/self/root
cat > d <<EOT
file info
  text hostname=/etc/shadow release=/etc/shadow command=/etc/shadow
  vm pid=50 name=../../../etc/shadow
  vm pid=60 name=g
  vcpu pid=60 tid=61 id=0 comm=/etc/shadow
  guest pid=50 name=../../../etc/shadow
  guest pid=60 name=g
  reach pid=60 how=1 text=/etc/shadow
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  file_item id=1 path=$PWD/prog build_id=$id
  map pid=9 start=0x10000 end=0x20000 file=1
  end
file guests/g.bundle
  text from=watch phys_mask=0xffffffffff000 hostname=/etc/shadow release=/etc/shadow kernel_build_id=$id
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x1000 pid=7 comm=/etc/shadow
  proc op=snap ns=0 pid=7 comm=/etc/shadow cmdline=/etc/shadow
  cgroup pid=7 path=/../../etc/shadow
  file_item id=1 path=/etc/shadow
  file_item id=2 path=../../../../../../../../etc/shadow
  file_item id=3 path=$PWD/prog build_id=$id
  file_item id=4 path=$itself/etc/shadow build_id=$id
  file_item id=5 path=/memfd:/etc/shadow
  file_item id=6 path=/usr/lib/debug/etc/shadow build_id=00$id
  map pid=7 start=0x10000 end=0x20000 file=1
  map pid=7 start=0x20000 end=0x30000 file=2
  map pid=7 start=0x30000 end=0x40000 file=3
  map pid=7 start=0x40000 end=0x50000 file=4
  map pid=7 start=0x50000 end=0x60000 file=5
  map pid=7 start=0x60000 end=0x70000 file=6
  jit pid=7 addr=0x50000 size=0x10000 name=/etc/shadow
  note /etc/shadow
  end
file cpu-0.rec
  vcpu tsc=1 pid=60 tid=61 id=0 offset=0
EOT
for n in 1 2 3 4 5 6; do
	echo " sample tsc=2$n flags=NVMSOGH handling=2 pid=60 tid=61 vcpu=0 cpl=3 cr3=0x1000 gip=0x${n}1100"
done >> d
sed 's/id=00\(.\{38\}\)../id=\100/' d > d.1 # a build-id has 20 bytes
"$TOP"/tests/gen/mksession.py d.1 s

# AddressSanitizer's leak checker traces too.
export ASAN_OPTIONS=detect_leaks=0
trace() {
	strace -f -qq -e trace=%file -e signal=none -o trace "$VMMPROF" "$@" > out 2> err
	# The files that it looks at once it has the session
	# (again by descriptor, once it is known that they are files).
	sed -n '/"s", .*O_DIRECTORY/,$p' trace | grep -o '"[^"]*"' |
		grep -v '^"/proc/self/fd/[0-9]*"$' | sort -u | tr '\n' ' '
}
session='"." "/dev/null" "cpu-0.rec" "g.bundle" "guests/" "guests/g.bundle" "host" "info" "s"'
only_session() {
	for file in $(trace "$@" -i s); do
		case " \"\" $session " in
		*" $file "*) continue ;;
		esac
		case $file in
		'"/usr/lib/debug/.build-id/'[0-9a-f][0-9a-f]/[0-9a-f]*) ;;
		'"/usr/lib/debug/'[0-9a-f]*'/debuginfo"') ;;
		*) echo "$*: $file"; return 1 ;;
		esac
	done
}
only_session report
only_session report --json
only_session report --sort srcline,process,module,container
grep -q shadow out
only_session report --guest g --sort function,module
grep -q 'not collected.* prog$' out
! grep -q spin out || exit 1
only_session guests
only_session script

# That this can be seen: what the host has mapped is read here.
echo ' sample tsc=30 flags=NU pid=9 ip='$((off + 0x10000)) >> d.1
"$TOP"/tests/gen/mksession.py d.1 t
trace report -i t --sort srcline > /dev/null
grep -q 'openat(.*/prog"' trace
grep -q 'prog.c:1' out
