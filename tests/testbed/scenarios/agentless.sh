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
	for name in one two; do
		guest_sh $name "vmmprof-guest dump -o /tmp/$name.bundle" > /dev/null
		check "for comparison: a bundle of $name" \
			guest_get $name /tmp/$name.bundle
	done
	check "the kernel has nothing to say" kernel_calm
	result session said guests.txt one.bundle two.bundle
}

after()
{
	local bundles="--guest-bundle one=one.bundle --guest-bundle two=two.bundle"

	"$BED/agentless.py" debug debug "$BUILD"/workloads/*
	"$VMMPROF" report -i session --debug-dir debug --json > session.json
	"$VMMPROF" report -i session --debug-dir debug --stdio -v > session.txt
	"$VMMPROF" script -i session --debug-dir debug > memory.txt
	"$VMMPROF" script -i session --debug-dir debug $bundles > bundle.txt
	check "samples of guests have their process and function, in both modes" \
		"$BED/agentless.py" named memory.txt 99.5 99 busybox
	for program in bare bare_pie; do
		check "$program: names of a stripped program by its debug data" \
			"$BED/agentless.py" stripped memory.txt $program \
			'sorter_.*|main' 95
	done
	check "where bundles know a process or a function, it is the same" \
		"$BED/agentless.py" same memory.txt bundle.txt
	check "one's functions are in shor alone" \
		"$BED/shares.py" only session.json one shor quantum_ sorter_
	check "two's are in sorter alone" \
		"$BED/shares.py" only session.json two sorter sorter_ quantum_
	check "the session says what was read" grep -c \
		"memory read [1-9].* times, last .* before the end: kernel, .* processes" \
		guests.txt
}
