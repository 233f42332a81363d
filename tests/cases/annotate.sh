# SPDX-License-Identifier: GPL-2.0-only
# What the cases of `annotate` share: a program of known instructions in files
# prog.S, prog, its build-id $id; and a session s of samples in it.

# spin: 401000 mov, 401005 imul, 40100c call, 401011 dec, 401013 jne, 401015 ret
annotate_program() {
	cat > prog.S <<'EOT'
	.globl _start, spin, leaf
	.text
	.type spin, @function
spin:	mov	$3, %eax
	imul	$1234, %ebx, %ecx
	.byte	0x90
	call	leaf
1:	dec	%eax
	jne	1b
	ret
	.size spin, . - spin
	.type leaf, @function
leaf:	nop
	ret
	.size leaf, . - leaf
	.type _start, @function
_start:	jmp	spin
	.size _start, . - _start
EOT
	gcc -g -nostdlib -static -Wl,--build-id -Wl,-Ttext=0x401000 -o prog prog.S
	chmod 755 prog
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	# file offset of the executable segment
	off=$(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2}')
}

# annotate_session: host and guest have the program at 0x10000 + offset.
# $code: where the host has it, as root's; $guest: the same in the guest, with
# build-id $guest_id.
annotate_session() {
	base=$((0x20000 - off))
	cat > d <<EOT
file info
  event index=0 type=0 config=3 period=1000 name=ref-cycles
  event index=1 type=1 config=0 period=1000 name=cpu-clock
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file host
  clock tsc=0 mono=0
  proc op=snap ns=0 pid=9 comm=prog
  proc op=snap ns=0 pid=10 comm=other
  file_item id=1 path=$code build_id=$id flags=32
  map pid=9 start=$base end=0x30000 file=1
  map pid=10 start=$base end=0x30000 file=1
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x2000 pid=7 comm=gprog
  proc op=snap ns=0 pid=7 comm=gprog
  file_item id=1 path=$guest build_id=$guest_id
  map pid=7 start=$base end=0x30000 file=1
  symtab file=1 seg=$off:0x401000:0x1000 sym=0x401000:0x16:spin
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=10 flags=NU pid=9 ip=0x20000
  sample tsc=11 flags=NU pid=9 ip=0x2000b repeat=60
  sample tsc=12 flags=NU pid=10 ip=0x20011 repeat=20
  sample tsc=13 flags=NU pid=9 ip=0x20011 repeat=10
  sample tsc=14 flags=NU pid=9 ip=0x20013 repeat=8
  sample tsc=15 flags=NU pid=9 ip=0x2000e
  sample tsc=16 flags=NU pid=9 ip=0x20016 repeat=5
  sample tsc=17 event=1 flags=NU pid=9 ip=0x20015 repeat=7
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x2000b repeat=30
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x20013 repeat=3
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
}
