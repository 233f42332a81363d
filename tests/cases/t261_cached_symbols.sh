# SPDX-License-Identifier: GPL-2.0-only
# A file whose symbols were left to the cache: with them in the session it is
# as any other, without them the samples say so.
session() {
	cat > d <<EOT
file info
 vm pid=5 nr=1 name=g
 guest pid=5 name=g
 end
file guests/g.bundle
 proc op=snap ns=0 pid=9 comm=prog
 mm op=snap ns=0 key=0x1000 pid=9 comm=prog
 text phys_mask=fffffffffffff
 file_item id=1 path=/bin/prog flags=$1 build_id=00112233445566778899aabbccddeeff00112233
 map pid=9 start=0x10000 end=0x90000 file=1
$2
 end
file cpu-0.rec
 sample tsc=1 flags=NGVSO pid=5 gip=0x10010 cr3=0x1000 cpl=3 repeat=4 step=1
EOT
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
	"$VMMPROF" report -i s --sort function,module 2>/dev/null |
		sed -n '/Function/{n;/prog$/p}'
}
session 0x10 ''
session 0x10 ' symtab file=1 seg=0:0:0x80000 sym=0x10:0x20:hot_one'
session 0 ' symtab file=1 seg=0:0:0x80000 sym=0x10:0x20:hot_one'
