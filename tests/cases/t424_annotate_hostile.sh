# SPDX-License-Identifier: GPL-2.0-only
# A program out of a guest may be made to harm who looks at its code.
. "$CASES/annotate.sh"
{
	printf '\t.file 1 "src\033[3J.c"\n\t.text\n\t.globl _start\n'
	printf '\t.type spin, @function\nspin:\n\t.loc 1 7\n'
	printf '\tcall "evil\033[2J"\n\t.byte 0x06, 0x0e\n\t.loc 1 8\n_start: ret\n'
	printf '\t.size spin, . - spin\n'
	printf '\t.type "evil\033[2J", @function\n"evil\033[2J": ret\n'
	printf '\t.size "evil\033[2J", . - "evil\033[2J"\n'
	printf '\t.section .note.GNU-stack\n'
} > prog.S
gcc -g -c -o prog.o prog.S
cat > inlined.c <<'EOT'
static inline __attribute__((always_inline)) int inner(int n)
{
	return n * n;
}
int outer(int n) { return inner(n) + inner(n + 1); }
EOT
gcc -g -O2 -c inlined.c
gcc -g -nostdlib -static -Wl,--build-id -Wl,-Ttext=0x401000 -o prog prog.o inlined.o
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
off=$(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2}')
# A table that says what it likes of where the functions are.
table="seg=$off:0x401000:0xffffffffffff"
table="$table sym=0x401000:0xffffffff:spin,0x401008:0x10:evil\\x1b[2J"
cat > d <<EOT
file info
  vm pid=50 name=web
  vcpu pid=50 tid=51 id=0 comm=x
  guest pid=50 name=web
  end
file guests/web.bundle
  text from=watch phys_mask=0xffffffffff000
  clock tsc=0 mono=0
  mm op=snap ns=0 key=0x2000 pid=7 comm=gprog
  proc op=snap ns=0 pid=7 comm=gprog
  file_item id=1 path=/bin/gprog build_id=$id
  map pid=7 start=$((0x20000 - off)) end=0x900000 file=1
  symtab file=1 $table
  end
file cpu-0.rec
  vcpu tsc=1 pid=50 tid=51 id=0 offset=0
  sample tsc=20 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x20000
  sample tsc=21 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x20005
  sample tsc=22 flags=NVMSOGH handling=2 pid=50 tid=51 vcpu=0 cpl=3 cr3=0x2000 gip=0x890000
EOT
"$TOP"/tests/gen/mksession.py d s
case $VMMPROF in */asan/*) n=10 ;; *) n=40 ;; esac
python3 "$CASES"/t424_annotate_hostile.py "$VMMPROF" "$id" $n
