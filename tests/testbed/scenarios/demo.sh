# SPDX-License-Identifier: GPL-2.0-only
# What `make demo` shows: three guests on one CPU.  web factors a number all
# the time (Debian's libquantum, the workload of the method's paper); noisy
# sorts for the middle third of the recording and takes web's CPU meanwhile;
# idle sleeps.  All have QEMU's guest agent, so one command records processes,
# symbols and code of all of them.  libquantum has no frame pointers: chains by
# copies of stacks.
CPUS=1
# Copies are loops, of which the cycles are counted.
CMDLINE='clearcpuid=erms,rep_good'
LIMIT=900
AMD=longer
before=0        # seconds of recording before anything happens

host()
{
	local name event
	guests_only web noisy idle
	module
	for name in web noisy idle; do
		# erms: steps of REP are ticks of the emulator, but no cycles.
		guest_start $name $fast -cpu host,pmu=off,erms=off \
			$(agent_channel $name)
	done
	for name in web noisy idle; do
		check "$name boots" guest_wait $name
		agent_start $name
	done
	# AMD's counters have no ref-cycles.
	[ $HOST_CPU = amd ] && event=cycles || event=ref-cycles
	# The measurement lasts as long as its workload.  Its guests are quiet
	# in the end: the bundles come sooner.
	vmmprof record --call-graph=dwarf,1536 -e $event -c 99700 -o session \
		--guest-timeout 200 -- bash -c '. /lab/host/lib.sh
			sleep $0; guest_sh web "shor 33 > /dev/null &"
			sleep 6; guest_sh noisy "sorter > /dev/null &"
			sleep 6; guest_sh noisy "killall sorter"
			sleep 6; guest_sh web "killall shor"' $before > said 2>&1
	check "one command records the host and its guests" equal $? 0
	cat said
	result session said
}

# flame REGEX: a chain of web's program ends in such frames
flame() { grep -m 1 "^web;vCPU 0;shor;[^[]*main;[^[]*$1 [0-9]*\$" folded.txt; }

# The same guests on the other CPU; whichever is the second compares.
other()
{
	case $SCENARIO,$HOST_CPU in
	demo,intel) echo ../demo-amd/session.json ;;
	demo-amd,amd) echo ../demo/session.json ;;
	esac
}

# views: of the session in every view
views()
{
	"$VMMPROF" steal -i session > steal.txt
	"$VMMPROF" report -i session --stdio > report.txt
	"$VMMPROF" report -i session --html page.html
	"$VMMPROF" report -i session --json > session.json
	check "web lost time, and noisy took it" \
		grep "^web lost .* to noisy" steal.txt
	check "others measured the same" grep "^All [0-9]* checks .* agree" steal.txt
	check "web's functions are named" \
		"$BED/shares.py" only session.json web shor quantum_ sorter_
	check "noisy's are" \
		"$BED/shares.py" only session.json noisy sorter sorter_ quantum_
	[ ! -e "$(other)" ] ||
		check "guests have the shares that they have on the other CPU" \
			"$BED/shares.py" same session.json "$(other)" 3
	check "the account adds up" "$BED/shares.py" account session.json
	"$VMMPROF" export -i session -f folded -o folded.txt
	check "a flame goes through web's program" flame 'quantum_[^;]*'
	check "... through its kernel" flame 'asm_sysvec_apic_timer_interrupt;.*'
	check "... and through kvm, where its exits are handled" \
		flame '\[exit: [A-Z_]*\];kvm_arch_vcpu_ioctl_run;.*'
	check "every view has the numbers of steal" \
		python3 "$TOP/tests/cases/t341_one_number.py" session
}

after()
{
	views
	# By code that the agent fetches
	check "web's functions have their instructions" \
		"$BED/code.py" "$VMMPROF" session session.json web
}
