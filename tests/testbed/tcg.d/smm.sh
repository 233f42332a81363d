# SPDX-License-Identifier: GPL-2.0-only
# vmmprof record -g of a VM that is in system management mode for two thirds of its
# time: its samples are told apart, and have no chains.

kvm
insmod /lab/vmmprof.ko
smmvm "CPU 0/KVM" > vm.txt 2>&1 &
vm=$!
sleep 1
check "a VM with SMIs runs" kill -0 $vm
vmmprof record -q -g --transport none -c 1000000 -d 10 -o smm 2> said
check "it is recorded" equal $? 0
kill $vm 2>/dev/null
cat said vm.txt

vmmprof script -i smm -g > script.txt 2>&1
# guest PATTERN: how many of its samples have it
guest()
{
	grep 'mode=guest' script.txt | grep -c "$1"
}
# The handler's code is at 0x8000 of its segment, the other at 0x1000.
firmware=$(guest ' flags=[A-Z]*F .* gip=0x80..* unresolved=smm')
all=$(guest .)
check "its samples are there" at_least "$all" 500
check "each is told by where it is" equal \
	"$((firmware + $(guest ' flags=[A-EG-Z]* .* gip=0x10..*')))" "$all"
echo "# SMM: $firmware of $all samples of the guest"
check "two thirds are the firmware's" test $((firmware * 100)) -gt $((all * 61)) \
	-a $((firmware * 100)) -lt $((all * 72))
check "there no stack is read" equal \
	"$(grep -A2 'mode=guest.*unresolved=smm' script.txt |
		grep -c '^	 *\[broken: system management mode\]')" "$firmware"
vmmprof report -i smm -g none > report.txt 2>&1
check "the report has it as a row of its own" grep -q '(firmware (SMM))' report.txt
rmmod vmmprof
check "the kernel had nothing to say" silent
