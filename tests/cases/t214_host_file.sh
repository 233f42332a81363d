#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A host file whose symbols the session lacks is read from this machine, by
# its build-id only; its source lines come from its debugging information.
printf 'int spin(int n)\n{\n\treturn n * 3;\n}\n\nint main(void)\n{\n\treturn spin(0);\n}\n' > prog.c
gcc -g -O0 -no-pie -Wl,--build-id -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
addr=0x$(nm prog | sed -n 's/ T spin$//p')
# link address -> file offset of the executable segment, both in pages
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{print $2, $3}')
off=$((addr - $2 + $1))
session() {
	printf 'file info\n end\nfile host\n proc op=snap ns=0 pid=9 comm=prog\n' > d
	printf ' file_item id=1 path=%s build_id=%s\n' "$PWD/prog" "$1" >> d
	printf ' map pid=9 start=0x10000 end=0x90000 file=1\n end\n' >> d
	printf 'file cpu-0.rec\n sample tsc=1 flags=NU pid=9 ip=%d\n' $((off + 0x10000)) >> d
	rm -rf s
	"$TOP"/tests/gen/mksession.py d s
	"$VMMPROF" report -i s --sort function,module 2>/dev/null | sed -n '/^Samples/{n;p;q}'
	"$VMMPROF" report -i s --sort srcline 2>/dev/null | sed -n '/^Samples/{n;p;q}'
}
session "$id"
session "${id%??}ff"
session ''
