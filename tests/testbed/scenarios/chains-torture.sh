# SPDX-License-Identifier: GPL-2.0-only
# record -g while guests try to harm who reads their stacks, and while all that
# chains depend on comes and goes: memory slots, mappings, VMs, CPUs, recorders,
# KVM itself.
CPUS=2
LIMIT=200

# coming_and_going: VMs that are killed at any moment, a CPU that goes
coming_and_going()
{
	local vm
	while :; do
		tinyvm -name short &
		vm=$!
		sleep 0.2
		echo 0 > /sys/devices/system/cpu/cpu1/online
		kill -9 $vm
		sleep 0.2
		echo 1 > /sys/devices/system/cpu/cpu1/online
	done
}

host()
{
	local load recorder
	guests_only
	module
	# Until KVM is known by a VM's first exits.
	tinyvm -name first & sleep 1; kill -9 $!
	check "hostile guests are recorded" vmmprof record -q -g -e cycles \
		-c 50000 --transport none -o hostile -- \
		sh -c 'hostilevm 8 > hostile.txt'
	coming_and_going > /dev/null 2>&1 &
	load=$!
	check "... while VMs and a CPU come and go" vmmprof record -q -g \
		-e cycles -c 50000 --transport none -o moving -- \
		sh -c 'hostilevm 6 > moving.txt'
	vmmprof record -q -g -e cycles -c 20000 --transport none -o killed \
		-d 100 &
	recorder=$!
	hostilevm 2 > /dev/null
	kill -9 $recorder
	wait $recorder
	kill $load
	wait $load
	echo 1 > /sys/devices/system/cpu/cpu1/online
	killall tinyvm
	sleep 1
	check "the module can be removed" rmmod vmmprof
	check "KVM comes back without EPT" sh -c '
		rmmod kvm_intel && insmod /lab/mod/kvm-intel.ko ept=0'
	module
	tinyvm -name first & sleep 1; kill -9 $!
	check "a guest without EPT is recorded" vmmprof record -q -g \
		-e cycles -c 50000 --transport none -o shadow -- \
		sh -c 'hostilevm 4 > shadow.txt'
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result hostile hostile.txt moving moving.txt shadow shadow.txt
}

after()
{
	local torture="$BED/chain_torture.py"
	check "each hostile stack ends as it was built to" \
		"$torture" hostile hostile.txt
	check "... while VMs and a CPU come and go" "$torture" moving moving.txt
	check "without EPT no guest is read" "$torture" --none shadow shadow.txt
	"$torture" hostile hostile.txt > table.txt || :
}
