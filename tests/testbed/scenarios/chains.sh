# SPDX-License-Identifier: GPL-2.0-only
# record -g: call chains of a guest whose program has known ones (deep), of the
# same program on the host, of exit handling, of OUT records.
CPUS=1
LIMIT=450
AMD=longer

host()
{
	guests_only one
	module
	guest_start one $fast -cpu host,pmu=off,erms=off $(agent_channel one)
	check "the guest boots" guest_wait one
	agent_start one
	mkdir code
	# The bundle comes sooner from a guest that is quiet in the end.
	check "a guest and the host are recorded with their chains" \
		vmmprof record -g -e cycles -c 100000 -o session \
		--guest-timeout 200 -- bash -c '. /lab/host/lib.sh
			guest_sh one "deep > /dev/null 2>&1 &"
			sleep 5; deep & sleep 3; kill $!
			guest_sh one "killall deep; calls > /dev/null 2>&1 &"
			calls & sleep 3; kill $!
			guest_sh one "killall calls"
			kcode > code/host.kcode
			guest_sh one "kcode > /share/code"'
	cp $guests/one/share/code code/one.kcode
	# Four threads beside the recorder, 4 KiB a sample: rings for all of it.
	check "and both without frame pointers, by rules" \
		vmmprof record --call-graph=dwarf,4096 -e cycles -c 100000 \
		-m 64M -o rules --guest-timeout 200 -- bash -c '
			. /lab/host/lib.sh
			guest_sh one "calls > /dev/null 2>&1 &
				calls_nofp > /dev/null 2>&1 &"
			calls & one=$!; calls_nofp & sleep 7; kill $! $one
			guest_sh one "killall calls calls_nofp"'
	check "and both with their stacks" \
		vmmprof record -q --call-graph=dwarf,1024 --transport none \
		-e cycles -c 100000 -o stacks -- bash -c '. /lab/host/lib.sh
			guest_sh one "deep > /dev/null 2>&1 &"
			deep & sleep 2; kill $!
			guest_sh one "killall deep"'
	cp /proc/kallsyms symbols
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result session rules stacks code symbols
}

after()
{
	local deep=$BUILD/workloads/deep what
	for what in sums guest-user guest-kernel host-user exits out; do
		check "chains: $what" into $what.txt \
			"$BED/chains.py" $what session "$deep" symbols
	done
	for what in session rules; do
		check "each frame was called by the one below: $what" \
			into edges-$what.txt "$BED/edges.py" "$VMMPROF" $what \
			code "$BUILD/workloads" "$BUILD" /usr/bin
	done
	check "chains of all forms are the known ones" into calls.txt \
		"$BED/calls.py" "$VMMPROF" session calls one:points host:points
	for what in calls calls_nofp; do
		check "... and by rules, of $what" into $what-rules.txt \
			"$BED/calls.py" "$VMMPROF" rules $what one:rules \
			host:rules
	done
	check "chains: stacks" into stacks.txt \
		"$BED/chains.py" stacks stacks "$deep"
	check "time off a CPU is below the code that was left" \
		into off-cpu.txt "$BED/off_cpu.py" "$VMMPROF" session
	check "... and sums to steal" \
		python3 "$TOP/tests/cases/t495_off_cpu_chains.py" session
	for what in session stacks; do
		check "the chains of $what sum to the report" \
			python3 "$TOP/tests/cases/t491_report_chains.py" $what
	done
	tail -n 30 edges-*.txt calls*.txt stacks.txt sums.txt guest-user.txt \
		guest-kernel.txt host-user.txt exits.txt out.txt off-cpu.txt \
		> table.txt
}
