# SPDX-License-Identifier: GPL-2.0-only
# The module where the kernel takes signed ones only, as with Secure Boot: on
# 6.1-kcfi (tests/testbed/tcg), with lockdown.  /lab/signed.ko is /lab/vmmprof.ko,
# signed with a key that this kernel trusts.

mount -t securityfs securityfs /sys/kernel/security
check "the kernel is locked down" grep '\[integrity\]' /sys/kernel/security/lockdown

# doctor_says LINE: that is what it says of signing
doctor_says() { vmmprof doctor 2>&1 | grep -A 1 "$1"; }

check "an unsigned module is refused" fails insmod /lab/vmmprof.ko
check "doctor says why" doctor_says 'module signing.*required by lockdown'
check "and what to do" doctor_says 'sign vmmprof.ko with a key that the kernel trusts'
vmmprof record -d 1 -o none 2> none.said
check "record without the module: status 1" test $? = 1
cat none.said
check "a signed one is loaded" insmod /lab/signed.ko
check "and the kernel's own opinion of it: no taint by a missing signature" \
	equal $(($(cat /proc/sys/kernel/tainted) >> 13 & 1)) 0
check "doctor is content" doctor_says 'required by lockdown'
vmmprof record -d 1 -o s --transport none 2> said
check "it records" test $? = 0
cat said
check "and has samples" at_least "$(awk '/^ +CPU .* samples/ { n += $3 } END { print n }' said)" 100

# Kernel addresses are a secret then: perf refuses the same.
echo confidentiality > /sys/kernel/security/lockdown
vmmprof record -d 1 -o secret --transport none 2> secret.said
check "under confidentiality record is refused: status 1" test $? = 1
cat secret.said
check "and says why" grep 'lockdown is .confidentiality' secret.said
check "doctor says so before" doctor_says "lockdown forbids sampling"
check "it goes" rmmod vmmprof
check "the kernel had nothing to say" silent
