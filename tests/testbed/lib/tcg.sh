# SPDX-License-Identifier: GPL-2.0-only
# A machine under QEMU's TCG, and what came of it (sourced after common.sh).

# tcg_boot OUT LIMIT CPU KERNELDIR INITRAMFS "KERNEL PARAMETERS" [QEMU ARGUMENTS]:
# boots it, and waits for its end, LIMIT seconds at most.  OUT/share is its 9p
# share "share", whose files are in OUT then, or those of the tar that it sent by its
# second serial port; OUT/console its console.
#
# On a busy machine an emulated timer looks broken (no_timer_check), and CPUs look
# stalled, 64 of them already while they boot: the kernel may say so after 300 s (RCU)
# and 120 s (tasks).
# One thread: with one per CPU, QEMU 7.2's CPUs may run a breakpoint that
# another has put into the kernel's text and removed, and the kernel dies of it.
#
# More than 254 CPUs have numbers that only x2APIC can address, with interrupts
# remapped: QEMU 7.2 has that with KVM alone, trixie's with TCG, too.
tcg_boot()
{
	local out=$1 limit=$2 cpu=$3 kernel=$4 initramfs=$5 parameters=$6
	local qemu=(timeout "$limit" qemu-system-x86_64)
	shift 6
	case $cpu in
	*,+x2apic*)
		chroot_make_qemu
		qemu=(chroot_run trixie-qemu "$out" "$kernel" -- "${qemu[@]}"
			-device "intel-iommu,intremap=on,eim=on") ;;
	*) need qemu-system-x86_64 ;;
	esac
	mkdir -p "$out/share"
	"${qemu[@]}" -accel tcg,thread=single -cpu "$cpu" -M q35 \
		-nodefaults -no-user-config -display none -no-reboot \
		-serial "file:$out/console" -serial "file:$out/sent" \
		-virtfs "local,path=$out/share,mount_tag=share,security_model=none" \
		-kernel "$kernel/vmlinuz" -initrd "$initramfs" \
		-append "console=ttyS0,115200 quiet panic=-1 mitigations=off tsc=reliable
			no_timer_check rcupdate.rcu_cpu_stall_timeout=300 watchdog_thresh=60
			cryptomgr.notests oops=panic $parameters" \
		"$@" < /dev/null > "$out/qemu.log" 2>&1 || true
	[ ! -s "$out/sent" ] || tar -C "$out/share" -xf "$out/sent"
	mv "$out"/share/* "$out/" 2>/dev/null || true
	rm -rf "$out/share" "$out/sent"
}

# tcg_sum OUT NAME AFTER: its checks, of OUT/checks, and one that its script ended
# with status 0, of OUT/status; AFTER says how long it took.  Then the sum; status
# 0 if no check failed.
tcg_sum()
{
	local out=$1 name=$2 after=$3 passed failed status
	touch "$out/checks"
	sed -E "s/^((not )?ok) - /\1 - $name: /" "$out/checks"
	passed=$(grep -c '^ok ' "$out/checks" || true)
	failed=$(grep -c '^not ok ' "$out/checks" || true)
	status=$(cat "$out/status" 2>/dev/null || echo none)
	if [ "$status" != 0 ]; then
		echo "not ok - $name: the script ends with status 0 [$status after $after; see $out]"
		failed=$((failed + 1))
		# Its last words, and a kernel's from where they begin.
		{
			tail -n 3 "$out/log" "$out/qemu.log" "$out/console"
			grep -a -m 3 -A 7 -E 'BUG: |Oops|WARNING: |protection|panic|RIP:' \
				"$out/console"
		} 2> /dev/null | cut -c 1-120 | sed 's/^/# | /'
	fi
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
