# SPDX-License-Identifier: GPL-2.0-only
# A guest that does nothing but I/O takes a neighbour's time by its vCPU, its
# QEMU's iothread and workers, and the kernel's vhost thread: all of that is told
# as this guest's.  A process of a systemd unit is the unit's.
CPUS=1
LIMIT=150
AMD=longer

host()
{
	local unit=/sys/fs/cgroup/system.slice/backup.service

	guests_only busy
	module
	guest_start busy $fast
	dd if=/dev/zero of=/tmp/disk bs=1M count=4 2> /dev/null
	guest_start disk $fast -object iothread,id=io0 \
		-drive if=none,id=d0,file=/tmp/disk,format=raw \
		-device virtio-blk-pci,drive=d0,iothread=io0 \
		-device vhost-vsock-pci,guest-cid=7
	guest_wait busy && guest_wait disk || return
	guest_sh busy 'spin > /dev/null &'
	pump recv 99 > /dev/null 2>&1 &
	pump=$!
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
	mkdir -p $unit
	spin > /dev/null &
	spin=$!
	echo $spin > $unit/cgroup.procs
	guest_sh disk 'while :; do dd if=/dev/vda of=/dev/null bs=64k
		blockdev --flushbufs /dev/vda; done > /dev/null 2>&1 &
		pump send 2 99 > /dev/null 2>&1 &'
	all="$(cat $guests/busy/qemu $guests/disk/qemu) $pump $spin"
	nice_of 19 $all
	check "a guest that does I/O is recorded" vmmprof record -q \
		--transport none -e cycles -c 100000 -o shared -- \
		fair "$all" sleep 5
	result shared
	kill $pump $spin
	sleep 1
	rmdir $unit ${unit%/*}
	guest_stop disk
	check "the kernel has nothing to say" kernel_calm
}

after()
{
	local times="$BED/times.py"

	"$VMMPROF" steal -i shared
	"$VMMPROF" steal -i shared --json > shared.json
	check "states sum to the time" "$times" sum shared.json
	check "the neighbour's vCPU, iothread and vhost thread are that VM" \
		"$times" owner shared.json busy disk 20 'vCPU 0 of' 'IO io0' \
		'vhost-'
	check "a process of a unit is the unit's" \
		"$times" owner shared.json busy backup.service 20 'spin'
	check "hardirqs and softirqs are seen, in the host alone" sh -c "
		\"$VMMPROF\" script -i shared > shared.txt &&
		grep -Eq ' irq=(hard|soft) ' shared.txt &&
		! grep ' irq=' shared.txt | grep -v ' mode=host-kernel '"
	check "... and the verdict names both" sh -c \
		"grep -q 'verdict.*busy lost.*to disk' shared.json &&
		grep -q 'verdict.*busy lost.*to backup.service' shared.json"
}
