#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the tests take for a fault in a kernel's log (tests/testbed/lib/silent.sh).
[ "$VMMPROF" = "$TOP"/build/vmmprof ] || exit 0
. "$TOP"/tests/testbed/lib/silent.sh

dmesg() { cat log; }

# log: its lines, as the kernel's log has it
log() {
	while read -r line; do
		echo "[   12.345678] $line"
	done > log
}

log << 'END'
Linux version 6.1
vmmprof: loaded
END
! kernel_faults || exit 1

log << 'END'
==================================================================
BUG: KCSAN: data-race in tick_do_update_jiffies64 / tick_sched_timer

write to 0xffffffff81c0aa00 of 8 bytes by interrupt on cpu 0:
vmmprof_timer+0x10/0x20 [vmmprof]
Call Trace:
==================================================================
vmmprof: loaded
END
! kernel_faults || exit 1

log << 'END'
==================================================================
BUG: KCSAN: data-race in ring_reserve [vmmprof] / ring_poll [vmmprof]
==================================================================
==================================================================
BUG: KCSAN: data-race in tick_do_update_jiffies64 / tick_sched_timer
==================================================================
END
[ "$(kernel_faults | grep -c KCSAN)" = 1 ]

log << 'END'
==================================================================
BUG: KASAN: use-after-free in kvm_put_kvm+0x10/0x20
==================================================================
==================================================================
BUG: KCSAN: data-race in a / b
==================================================================
WARNING: CPU: 0 PID: 1 at kernel/softirq.c:362
END
[ "$(kernel_faults | grep -c .)" = 2 ]

# cut off before its end
log << 'END'
======================================================
WARNING: possible circular locking dependency detected
END
kernel_faults > /dev/null
