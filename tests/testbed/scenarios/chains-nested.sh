# SPDX-License-Identifier: GPL-2.0-only
# A guest that runs a guest: the inner one has no chain, and is counted as nested;
# the chains of the outer one are its own.
# Not on AMD: the outer guest has kvm-intel; with kvm-amd it was not tried.
CPUS=1
LIMIT=250
ALL=longer

# The guest has the host's kernel, so its modules fit.
nested_vm()
{
	guest_put one /lab/mod/{irqbypass,kvm,kvm-intel}.ko \
		"$(command -v hostilevm)" &&
		guest_sh one 'cd /tmp && insmod irqbypass.ko &&
			insmod kvm.ko && insmod kvm-intel.ko &&
			chmod +x hostilevm &&
			{ ./hostilevm 1000 > /dev/null 2>&1 & } &&
			sleep 2 && kill -0 $!'
}

host()
{
	guests_only
	module
	guest_start one $fast -cpu host,pmu=off,erms=off
	check "the guest boots" guest_wait one
	check "it runs a guest" nested_vm
	guest_sh one 'deep > /dev/null 2>&1 &'
	check "both are recorded" vmmprof record -q -g --transport none \
		-e cycles -c 50000 -d 6 -o session
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result session
}

after()
{
	local what
	for what in nested guest-user; do
		check "chains: $what" into $what.txt "$BED/chains.py" \
			$what session "$BUILD/workloads/deep"
	done
	"$VMMPROF" report -i session -g > report.txt
	check "they are counted as nested" grep -i 'nested guest' report.txt
	tail -n 8 nested.txt guest-user.txt > table.txt
}
