# SPDX-License-Identifier: GPL-2.0-only
# What it costs that a sample says who ran in the guest: instructions of samples
# with and without, of one guest in user mode and in its kernel.  Its kernel's
# layout comes with a bundle, so that nothing is read while it is counted.
# docs: cost/table.py, pmu/cost.cc.
CPUS=1
LIMIT=400
ALL=longer
AMD=longer

settle=1 length=4 period=10000

# both NAME: a window without, and one with
both()
{
	local record="vmmprof record -q -m 64M --no-drain --transport none \
		-e cycles -c $period"
	window "none-$1" $settle $length
	check "window $1-plain" $record --identity=bundle -o "plain-$1" -- \
		window "plain-$1" $settle $length
	check "window $1-identity" $record --guest-bundle one=one.bundle \
		-o "identity-$1" -- window "identity-$1" $settle $length
}

host()
{
	guests_only one
	window_at_nmi
	module
	guest_start one $fast
	guest_wait one || return
	guest_sh one 'vmmprof-guest dump -o /tmp/one.bundle' > /dev/null
	check "a bundle says where its kernel has who runs" \
		guest_get one /tmp/one.bundle
	guest_sh one 'spin > /dev/null &'
	sleep 5
	both user
	guest_sh one 'killall spin
		dd if=/dev/zero of=/dev/null bs=64 2> /dev/null &'
	sleep 5
	both kernel
	guest_sh one 'killall dd'
	result identity-user identity-kernel
}

# more MODE: instructions of a sample with identity beyond those of one without
more()
{
	local plain identity
	plain=$(python3 "$BED/cost/table.py" --only "plain-$1" total cost.txt)
	identity=$(python3 "$BED/cost/table.py" --only "identity-$1" total cost.txt)
	awk -v a="$identity" -v b="$plain" 'BEGIN { print a - b }'
}

# named MODE: percent of the guest's samples that say who ran
named()
{
	"$VMMPROF" script -i "identity-$1" | awk '/^type=sample/ && /flags=[A-Z0-9]*G/ {
		n++; who += / who=[0-9]/ } END { print n ? 100 * who / n : 0 }'
}

after()
{
	local mode
	python3 "$BED/cost/table.py" cost.txt > table.txt
	for mode in user kernel; do
		echo "$mode: $(more $mode) instructions more, $(named $mode) % say who"
	done | tee -a table.txt
	check "every window was counted" equal "$(grep -c '^window' cost.txt)" 6
	for mode in user kernel; do
		check "$mode: samples say who ran" at_least "$(named $mode)" 99
		# and some, or it was not read
		check "$mode: it is read" at_least "$(more $mode)" 50
		check "$mode: that costs at most 450 instructions" \
			at_most "$(more $mode)" 450
	done
}
