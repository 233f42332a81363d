#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a bundle can cost: memory in proportion to its size, whatever is in it,
# and time that nobody minds; one larger than the limit costs nothing.
# AddressSanitizer's memory is its own.
case $VMMPROF in */asan/*) exit ;; esac
cat > d <<END
file info
  vm pid=1 name=vm1
  end
file host
  clock tsc=0 mono=0
  clock tsc=1000000000000 mono=1000000000000
  end
file cpu-0.rec
  vcpu tsc=1 pid=1 tid=1 id=0 offset=0
END
# 2,000 addresses of a process and of the kernel
awk 'BEGIN {
	for (i = 0; i < 1000; i++) {
		head = "sample flags=NVMSOGH handling=2 pid=1 cr3=0x2000 tsc=500" 1000 + i
		printf "  %s cpl=3 gip=0x40%04x\n", head, i
		printf "  %s cpl=0 gip=0xffffffff8100%04x rsp=0xffffc9000001%04x\n", head, i, i
	}
}' >> d
"$TOP"/tests/gen/mksession.py d s
python3 "$CASES"/t243_limits.py "$VMMPROF" s 8

# 1 GiB and a byte, nearly all of it a hole
{ printf 'VMMPROF\n\003\0\002\0\002\0\040\0'; head -c 16 /dev/zero; } > b
truncate -s 1073741825 b
status=0
(ulimit -v 400000; "$VMMPROF" report -i s --guest-bundle vm1=b) 2> err || status=$?
test $status -eq 1
grep -q 'larger than any honest file (1 GiB)' err
