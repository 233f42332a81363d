# SPDX-License-Identifier: GPL-2.0-only
# Nothing in the guests: one command names their kernels' functions, processes and
# programs out of their memory.  A bundle that vmmprof-guest makes in the guest
# afterwards names the same samples once more: both have to agree.
CPUS=1
LIMIT=500
seconds=24
AMD=longer

# busy_guests: the guests one and two with nothing of ours in them, each at work
busy_guests()
{
	guests_only one two
	module
	guest_start one $fast
	guest_start two $fast
	guest_wait one && guest_wait two || return
	guest_sh one 'shor 33 > /dev/null &'
	guest_sh two 'sorter > /dev/null &
		dd if=/dev/zero of=/dev/null bs=64 2> /dev/null &'
}

# bundles_afterwards NAME...: what vmmprof-guest says of guests whose recording is over
bundles_afterwards()
{
	local name
	for name; do
		guest_sh $name 'killall -STOP shor sorter dd bare bare_pie' \
			> /dev/null 2>&1
		# a scenario before may have left one
		guest_sh $name "rm -f /tmp/$name.bundle
			vmmprof-guest dump -o /tmp/$name.bundle" > /dev/null
		check "for comparison: a bundle of $name" \
			guest_get $name /tmp/$name.bundle
		result $name.bundle
	done
}

# debug_data: that of the workloads, where report and script look for it
debug_data()
{
	"$BED/agentless.py" debug debug "$BUILD"/workloads/*
	export VMMPROF_DEBUG_DIR=$PWD/debug
}

# names_agree SESSION KERNEL USER NAME...: so many percent of the samples of each of the
# guests have a process and a function, and the bundles made afterwards say the same
names_agree()
{
	local session=$1 kernel=$2 user=$3 name
	local bundles=
	shift 3
	for name; do
		bundles="$bundles --guest-bundle $name=$name.bundle"
	done
	"$VMMPROF" script -i $session > $session.memory.txt
	"$VMMPROF" script -i $session $bundles > $session.bundle.txt
	check "$session: $kernel % in kernel and $user % in user mode have process and function" \
		"$BED/agentless.py" named $session.memory.txt $kernel $user busybox
	check "$session: where bundles know a process or a function, it is the same" \
		"$BED/agentless.py" same $session.memory.txt $session.bundle.txt
}

host()
{
	busy_guests || return
	# sorter again, stripped: at a fixed address, and as PIE
	guest_sh two 'bare > /dev/null & bare_pie > /dev/null &'
	GUEST_MEMORY=yes vmmprof record -e cycles -c 100000 -d $seconds \
		-o session > said 2>&1
	check "one command records the host and its guests" equal $? 0
	cat said
	vmmprof guests -i session > guests.txt
	cat guests.txt
	bundles_afterwards one two
	check "the kernel has nothing to say" kernel_calm
	result session said guests.txt
}

after()
{
	debug_data
	names_agree session 99.5 99 one two
	"$VMMPROF" report -i session --json > session.json
	"$VMMPROF" report -i session --stdio -v > session.txt
	for program in bare bare_pie; do
		check "$program: names of a stripped program by its debug data" \
			"$BED/agentless.py" stripped session.memory.txt $program \
			'sorter_.*|main' 95
	done
	check "one's functions are in shor alone" \
		"$BED/shares.py" only session.json one shor quantum_ sorter_
	check "two's are in sorter alone" \
		"$BED/shares.py" only session.json two sorter sorter_ quantum_
	check "the session says what was read" grep -c \
		"memory read [1-9].* times, last .* before the end: kernel, .* processes" \
		guests.txt
}
