# SPDX-License-Identifier: GPL-2.0-only
# The module under everything at once (tests/kmod/torture.sh) where samples are NMIs and
# the NMI watchdog is another user of the PMU.
CPUS=2
LIMIT=900
ALL=longer

kvm() { :; } # it is loaded

host()
{
	guests_only
	[ ! -c /dev/vmmprof ] || rmmod vmmprof
	printf '%s\n' MINUTES=60 ROUNDS=25 SEED=$RANDOM ALSO="'watchdog hotplug'" > /lab/plan
	# "nowatchdog" leaves out all of them.
	echo 1 > /proc/sys/kernel/watchdog
	. /lab/silent.sh
	FIRMWARE=/usr/share/qemu
	. /lab/torture.sh > torture.log 2>&1
	for ko in kvm kvm-$HOST_CPU; do insmod /lab/mod/$ko.ko; done
	result torture.log rounds.log actions.log recordings.log
}
