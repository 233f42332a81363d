# SPDX-License-Identifier: GPL-2.0-only
# VM exits that are counted: a VM that makes a known number of each, against its
# own count and KVM's; a program in a guest, which counts what it does and is
# named for it; and what an exit costs, in instructions (cost/exits.py).
CPUS=1
LIMIT=200
AMD=longer

# cost NAME OPTIONS...: one window while a VM does nothing but CPUID
cost()
{
	local name=$1
	shift
	check "window $name" vmmprof record -q -m 64M --no-drain --no-switches \
		-e cycles -c 1000000 --transport none -o "$name" "$@" -- \
		sh -c "window $name 1 1 hist > $name.out"
}

host()
{
	guests_only one
	module
	[ -e /sys/kernel/debug/kvm ] ||
		mount -t debugfs none /sys/kernel/debug
	cp /proc/kallsyms symbols
	guest_start one $fast
	# KVM is known to the module from a VM's first exits on.
	check "a VM of few exits" vmmprof record -q -e cycles -c 100000 \
		--exits --transport none -o first -- tinyvm -name vm 10 10 10
	check "a VM that counts" vmmprof record -q -e cycles -c 100000 --exits \
		--transport none -o session -- \
		sh -c 'tinyvm -name vm 20000 3000 500 > counts.txt'
	window_at_nmi
	tinyvm -name vm 4000000000 1 1 & local vm=$!
	cost none-counted
	cost counted --exits
	kill $vm
	guest_wait one || return
	check "the guest is watched" guest_watch one
	check "a program that counts is recorded" \
		vmmprof record -q -e cycles -c 10000 --exits -o guest \
		--transport none -- /lab/host/guest-sh one \
		'{ exits cpuid 20000; exits io 2000; } > /share/own.txt' 200
	check "the bundle arrives" guest_bundle one
	result session counts.txt guest one.bundle symbols counted.out \
		$guests/one/share/own.txt
	check "the kernel is calm" kernel_calm
}

after()
{
	"$VMMPROF" exits -i session --json > session.json
	check "as many CPUIDs, OUTs and HLTs as the VM made, all that KVM counted" \
		"$BED/exits.py" counts session.json counts.txt 20000
	"$VMMPROF" exits -i guest --guest-bundle one=one.bundle --json > guest.json
	"$VMMPROF" exits -i guest --guest-bundle one=one.bundle > guest.txt
	check "as many as the program in the guest counted, and no more than 2 %" \
		"$BED/exits.py" guest guest.json own.txt
	check "90 % of their samples name the program" \
		"$BED/exits.py" functions guest.json main exits
	python3 "$BED/cost/exits.py" counted symbols cost.txt > cost-exits.txt
	cat cost-exits.txt
	check "an exit costs at most 85 instructions more in the module" \
		at_most "$(awk '/^exits/ { print $3 }' cost-exits.txt)" 85
	check "... and at most 120 on the whole host" \
		at_most "$(awk '/^whole/ { print $2 }' cost-exits.txt)" 120
}
