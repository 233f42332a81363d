# SPDX-License-Identifier: GPL-2.0-only
# Steal from exact records against the scheduler's own run delay: a Linux guest,
# a VM of one instruction and a host process on one CPU, first all computing,
# then with pauses; against samples alone; and a recording without records.
CPUS=1
LIMIT=400
AMD=longer

# says NAME OPTION...: record as NAME, what it says in NAME.said as well
says()
{
	local name=$1 status
	shift
	vmmprof record -e cycles -c 100000 --transport none -o "$name" "$@" \
		2> "$name.said"
	status=$?
	cat "$name.said"
	return $status
}

# taken NAME OPTION... [-- COMMAND...]: one recording
taken()
{
	check "$1 is recorded" says "$@"
	result "$1" "$1.said"
}

host()
{
	guests_only one
	module
	guest_start one $fast
	guest_wait one || return

	guest_sh one 'spin > /dev/null 2>&1 &'
	tinyvm -name two &
	two=$!
	spin > /dev/null &
	thief=$!
	sleep 1
	# They would compete with a recorder that begins or ends, too.
	all="$(cat $guests/one/qemu) $two $thief"
	kill -STOP $all
	taken busy -- sh -c "kill -CONT $all; sleep 5; kill -STOP $all"
	taken without --no-switches -- \
		sh -c "kill -CONT $all; sleep 1; kill -STOP $all"
	kill -CONT $all

	guest_sh one 'killall spin; while :; do spin 100; sleep 0.1; done \
		> /dev/null 2>&1 &'
	kill $thief
	(while :; do spin 300; sleep 0.05; done) > /dev/null &
	thief=$!
	sleep 1
	taken pauses -d 5
	kill $thief $two
	check "the kernel has nothing to say" kernel_calm
}

after()
{
	for one in busy pauses; do
		"$VMMPROF" steal -i $one --json > $one.json
		"$VMMPROF" steal -i $one --method=samples --json > $one.s.json
		"$VMMPROF" steal -i $one
		check "$one: there are switch records" \
			at_least "$(sed -n 's/.* \([0-9]*\) switch rec.*/\1/p' \
			$one.said)" 200
		check "$one: states sum to the time" \
			"$BED/times.py" sum $one.json
		check "$one: steal is the run delay of both vCPUs" \
			"$BED/methods.py" delay $one.json 2
		"$BED/methods.py" samples $one.json $one.s.json 3 > $one.txt
		check "$one: samples alone differ by at most 3 points" test $? = 0
		(echo "$one: exact, samples, difference"; cat $one.txt) >> table.txt
	done
	check "a third each: two thirds of steal" \
		"$BED/times.py" share busy.json one steal 66.7 4
	check "half of it by the other VM" \
		"$BED/times.py" thief busy.json one 'vCPU 0 of two' 44
	check "half of it by the process" \
		"$BED/times.py" thief busy.json one 'process spin' 44
	check "one that pauses halts" sh -c "! '$BED/times.py' share \
		pauses.json one halt 0 5"
	check "without: record counts samples and no switches" \
		sh -c 'grep samples without.said && ! grep -i switch without.said'
	"$VMMPROF" steal -i without --json > without.json
	check "... and steal falls back to samples" \
		grep '"method": *"samples"' without.json
}
