# SPDX-License-Identifier: GPL-2.0-only
# Call chains of VMs that lay traps for who reads them (workloads/trapvm.c),
# while VMs are killed, a CPU goes and comes, recorders are killed.
CPUS=2
LIMIT=300
ALL=longer
AMD=longer

online() { echo "$1" > /sys/devices/system/cpu/cpu1/online; }

# begin DIR: record; returns when it samples
begin()
{
	vmmprof record -g --transport none -e cycles -c 50000 -o "$1" -d 60 \
		2> "$1.said" & recorder=$!
	until grep -q sampling "$1.said"; do
		kill -0 $recorder || return
		sleep 0.1
	done
}

host()
{
	local i vm last
	guests_only
	module
	trapvm -name one > one.said & local one=$!
	begin first
	for i in 1 2 3 4; do
		trapvm -name two > two.said & vm=$!
		sleep 0.7
		kill -9 $vm
	done
	check "CPU 1 goes" online 0
	sleep 0.5
	check "and comes" online 1
	kill -9 $recorder
	wait $recorder
	check "the killed recorder leaves nothing" quiet
	trapvm -name two > two.said & vm=$!
	begin second
	sleep 3
	kill -INT $recorder
	check "another one ends well" wait $recorder
	kill -TERM $one $vm
	wait $one $vm
	check "no page was faulted in" \
		equal "$(sort -u one.said two.said)" "faulted 0"
	check "the module can be removed" rmmod vmmprof
	check "the kernel had nothing to say" kernel_calm
	result second
}

after()
{
	check "chains end as they should" into table.txt \
		"$BED/chains.py" ends second "$BUILD/workloads/deep"
}
