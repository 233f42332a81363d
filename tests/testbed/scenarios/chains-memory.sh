# SPDX-License-Identifier: GPL-2.0-only
# Call chains of guests whose memory changes below them: KSM merges pages, the
# balloon takes some, the guest is migrated into a file and comes back from it; the
# other one lies in huge pages, and memory is plugged in.
# Not on AMD: a guest's memory is read alike; chains has what is SVM's.
CPUS=1
LIMIT=300
ALL=longer

# with_monitor NAME: arguments for guest_start, for QEMU's monitor
with_monitor()
{
	rm -f "$1.in" "$1.out"
	mkfifo "$1.in" "$1.out"
	echo "-chardev pipe,id=monitor,path=$PWD/$1 -mon chardev=monitor"
}

# monitor NAME PATTERN COMMAND: until what it says to COMMAND has PATTERN
monitor()
{
	local i said
	for i in {1..40}; do
		echo "$3" 1<> "$1.in"
		while read -r -t 1 said; do
			[[ $said != *$2* ]] || { echo "$said"; return; }
		done <> "$1.out"
	done
	return 1
}

# begin DIR: record; returns when it samples
begin()
{
	vmmprof record -g --transport none -e cycles -c 100000 -o "$1" -d 200 \
		2> "$1.said" & recorder=$!
	until grep -q sampling "$1.said"; do
		kill -0 $recorder || return
		sleep 0.1
	done
}

end()
{
	kill -INT $recorder
	check "$1" wait $recorder
}

merged() { at_least "$(cat /sys/kernel/mm/ksm/pages_sharing)" 100; }

host()
{
	local one="$fast -cpu host,pmu=off,erms=off -m 192 -device virtio-balloon"
	guests_only
	module
	guest_start one $one $(with_monitor one)
	check "the guest boots" guest_wait one
	guest_sh one 'deep > /dev/null 2>&1 &'
	begin first
	echo 500 > /sys/kernel/mm/ksm/pages_to_scan
	echo 1 > /sys/kernel/mm/ksm/run
	for i in {1..30}; do merged > /dev/null && break; sleep 1; done
	check "KSM merges pages of it" merged
	echo 2 > /sys/kernel/mm/ksm/run
	sleep 1
	check "KSM gives them back" fails merged
	monitor one balloon 'balloon 128' > /dev/null
	check "its balloon takes memory" monitor one 'actual=12' 'info balloon'
	# What is mounted from the host cannot be migrated.
	guest_sh one '(sleep 1; umount /share) > /dev/null 2>&1 &'
	sleep 2
	monitor one migrate 'migrate -d "exec:cat > state"' > /dev/null
	check "it is migrated into a file" \
		monitor one 'status: completed' 'info migrate'
	end "it is recorded meanwhile"
	guest_stop one
	begin second
	guest_start one $one $(with_monitor one) -incoming "exec:cat state"
	check "it comes back" monitor one 'VM status: running' 'info status'
	sleep 4
	end "... and is recorded as it does"
	guest_stop one

	echo 100 > /proc/sys/vm/nr_hugepages
	mkdir huge
	mount -t hugetlbfs none huge
	guest_start two $fast -cpu host,pmu=off,erms=off \
		-m 192,slots=1,maxmem=512M -mem-path huge $(with_monitor two)
	check "a guest in huge pages boots" guest_wait two
	guest_sh two 'deep > /dev/null 2>&1 &'
	begin third
	sleep 1
	monitor two object 'object_add memory-backend-ram,id=more,size=64M' \
		> /dev/null
	monitor two device 'device_add pc-dimm,id=more,memdev=more' > /dev/null
	check "memory is plugged in" \
		monitor two 'Memory device' 'info memory-devices'
	sleep 2
	check "it lies in huge pages" \
		fails grep -q 'HugePages_Free: *100$' /proc/meminfo
	end "it is recorded meanwhile"
	guest_stop two
	umount huge
	echo 0 > /proc/sys/vm/nr_hugepages
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result first second third
}

after()
{
	local what
	for what in first second third; do
		check "chains: $what" into $what.txt "$BED/chains.py" \
			guest-user $what "$BUILD/workloads/deep"
	done
	tail -n 6 first.txt second.txt third.txt > table.txt
}
