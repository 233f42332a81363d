# SPDX-License-Identifier: GPL-2.0-only
# What a kernel says of a fault, out of its log (sourced, after check.sh).

# kernel_faults: what dmesg has of them.  Of the data races that KCSAN tells only
# those with an access of this module count: the rest of the kernel has its own.  Nor
# does it count that a page fault had no memory, which is repeated then (mm/oom_kill.c).
kernel_faults()
{
	dmesg | awk '
		/==========/ {
			if (title !~ /BUG: KCSAN/ || title ~ /vmmprof/)
				printf "%s", report
			within = !within
			title = report = ""
			next
		}
		within && title == "" { title = $0 }
		within { report = report $0 "\n"; next }
		{ print }
		END { printf "%s", report }' |
		grep -v 'VM_FAULT_OOM leaked out to the #PF handler' |
		grep -E 'WARN|BUG|Oops|UBSAN|CFI failure|leaked|Call Trace|cut here|blocked for|self-detected|lockup|general protection'
}

# silent: the kernel has said nothing of that
silent() { fails kernel_faults; }
