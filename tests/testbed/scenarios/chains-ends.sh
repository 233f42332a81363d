# SPDX-License-Identifier: GPL-2.0-only
# record -g of stacks that are made one by one to harm who reads them, each with
# the end that it has to have (workloads/hostilevm.c); while VMs and a CPU come and
# go; and without EPT.  chains-torture has such stacks at random.
# Not on AMD: a guest's memory is read alike; chains has what is SVM's.
CPUS=2
LIMIT=200
ALL=longer

# coming_and_going: VMs that are killed at any moment, a CPU that goes
coming_and_going()
{
	local vm
	trap 'kill -9 $vm; exit' TERM
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
	sleep 1
	check "the module can be removed" rmmod vmmprof
	check "KVM comes back without nested paging" sh -c "
		rmmod kvm_$HOST_CPU &&
			insmod /lab/mod/kvm-$HOST_CPU.ko $nested=0"
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
	local ends="$BED/chain_ends.py"
	check "each hostile stack ends as it was built to" \
		"$ends" hostile hostile.txt
	check "... while VMs and a CPU come and go" "$ends" moving moving.txt
	check "without EPT no guest is read" "$ends" --none shadow shadow.txt
	"$ends" hostile hostile.txt > table.txt || :
}
