# SPDX-License-Identifier: GPL-2.0-only
# Functions of a host's and a guest's kernel, moved (KASLR) from where vmlinux
# has them; of a module and of code made at run time there is no file.
. "$CASES/annotate.sh"
cat > k.S <<'EOT'
	.globl startup, copy
	.text
	.type startup, @function
startup: jmp copy
	.size startup, . - startup
	.org 0x100
	.type copy, @function
copy:	rep movsb
	lea	-1(%rax), %rbx
	ret
	.size copy, . - copy
EOT
gcc -g -nostdlib -static -Wl,--build-id -Wl,-Ttext=0xffffffff81000000 \
	-Wl,-estartup -o vmlinux k.S
chmod 755 vmlinux
id=$(readelf -n vmlinux | sed -n 's/.*Build ID: //p')
annotate() {
	"$VMMPROF" annotate -i s "$@" > out
	sed "s,$PWD/,,g; s/$id/ID/g" out
}
kernel() {
	cat <<EOT
  kallsyms
    0000000000000000 T percpu
    ffffffff${1}000000 T startup
    ffffffff${1}000100 T copy
    ffffffff${1}000107 T _etext
    ffffffffc0001000 t inmod\\t[mod]
    ffffffffc0001010 t inmod_end\\t[mod]
  .
  modules
    mod 8192 0 - Live 0xffffffffc0001000
  .
  ksym ns=0 addr=0xffffffffd0000000 len=0x100 name=filter
EOT
}
cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  text from=record kernel_build_id=$id release=none boot_id=none
  clock tsc=0 mono=0
$(kernel a2)
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000 kernel_build_id=$id release=../none
  clock tsc=0 mono=0
$(kernel 9f)
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=N ip=0xffffffffa2000102 repeat=10
  sample tsc=11 flags=N ip=0xffffffffa2000106
  sample tsc=12 flags=N ip=0xffffffffc0001004
  sample tsc=13 flags=N ip=0xffffffffd0000004
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=0xffffffff9f000100
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=0xffffffff9f000106
  sample tsc=22 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=0 cr3=0x2000 gip=0xffffffffc0001004
EOT
"$TOP"/tests/gen/mksession.py d s
annotate copy --code-from vmlinux
annotate copy | grep 'ode:'
annotate inmod --code-from vmlinux | grep 'ode:'
annotate filter | tail -n +4
# A session's word for where its kernel began that the file contradicts
sed 's/ffffffffa2000000 T/ffffffffa2000010 T/' d > d.1
rm -r s
"$TOP"/tests/gen/mksession.py d.1 s
annotate copy --code-from vmlinux | grep 'ode:'
# The same vmlinux as the debug file that a debuginfod server has of it; one
# without code is none.
rm -r s
"$TOP"/tests/gen/mksession.py d s
. "$CASES/debuginfod.sh"
mkdir -p www/buildid/"$id"
mv vmlinux www/buildid/"$id"/debuginfo
trap 'kill $server' EXIT
server_start
annotate copy --debuginfod=all | sed -n '/^copy/,/ bytes/p' | grep -v '^$' > served
grep -c '^Code: debuginfod:debuginfo/ID$' served
if grep '^debuginfod' served; then exit 1; fi
sed "s/$id/ID/; s,$PWD,," asked | sort -u
rm -rf cache cache-vmmprof
objcopy --only-keep-debug www/buildid/"$id"/debuginfo debug
mv debug www/buildid/"$id"/debuginfo
annotate copy --guest web --debuginfod=all | grep -E 'ode:|debuginfod'
