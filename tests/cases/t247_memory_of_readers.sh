#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where there is no memory for a session the verb says so, and what to do.
export PYTHONDONTWRITEBYTECODE=1
cat > d <<END
file info
  vm pid=1 name=vm1
  guest pid=1 name=vm1
  end
file host
  end
file guests/vm1.bundle
  end
file cpu-0.rec
  vcpu tsc=1 pid=1 tid=1 id=0 offset=0
  sample tsc=2000 flags=NVMSOGH cpl=3 cr3=0x2000 gip=0x400110 handling=2 pid=1
END
"$TOP"/tests/gen/mksession.py d s
# AddressSanitizer maps terabytes: no limit there.
case $VMMPROF in */asan/*) exit ;; esac
# A file of that size that is there: 300 MiB, more than there may be.
dd if=/dev/zero bs=1M count=300 status=none >> s/guests/vm1.bundle
status=0
(ulimit -v 250000 && "$VMMPROF" report -i s > out 2> err) || status=$?
test $status -eq 1
grep -q 'guests/vm1.bundle: out of memory: .* larger' err
"$VMMPROF" report -i s > out 2> err
