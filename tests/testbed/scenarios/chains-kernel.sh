# SPDX-License-Identifier: GPL-2.0-only
# record -g of kernels: what the host's and a guest's do for system calls that are
# known (workloads/syscalls.c), and the first instructions of page faults (touches.c).
CPUS=1
LIMIT=260
AMD=longer

host()
{
	guests_only one
	module
	guest_start one $fast -cpu host,pmu=off,erms=off $(agent_channel one)
	check "the guest boots" guest_wait one
	check "the guest is watched" guest_watch one --unwind
	mkdir code
	check "a guest's kernel and the host's are recorded" \
		vmmprof record -g --transport none -e cycles -c 100000 \
		-o session -- bash -c '. /lab/host/lib.sh
			guest_sh one "syscalls > /dev/null 2>&1 &"
			sleep 4; guest_sh one "killall syscalls"
			syscalls & sleep 4; kill $!
			guest_sh one "kcode > /share/code"
			kcode > code/host.kcode'
	cp $guests/one/share/code code/one.kcode
	check "page faults of both are recorded, their first instructions, too" \
		vmmprof record -g --transport none -e cycles -c 20000 -m 64M \
		-o entries -- bash -c '. /lab/host/lib.sh
			guest_sh one "touches > /dev/null 2>&1 &"
			sleep 3; guest_sh one "killall touches"
			touches & sleep 3; kill $!'
	check "the bundle arrives" guest_bundle one
	mkdir -p session/guests entries/guests
	cp one.bundle session/guests/
	cp one.bundle entries/guests/
	check "the kernel had nothing to say" kernel_calm
	result session entries code
}

after()
{
	check "below each system call are its functions, to main()" \
		into syscalls.txt "$BED/syscalls.py" "$VMMPROF" session one host
	check "each frame was called by the one below" into edges.txt \
		"$BED/edges.py" "$VMMPROF" session code "$BUILD/workloads" \
		"$BUILD" /usr/bin
	check "... also where a page fault enters the kernel" into touches.txt \
		"$BED/touches.py" "$VMMPROF" entries one host
	tail -n 30 syscalls.txt edges.txt touches.txt > table.txt
}
