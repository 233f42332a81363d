# SPDX-License-Identifier: GPL-2.0-only
# vmmprof record on a real kernel, by timer: the counts add up, the host's
# processes are there, faults leave what can be read.

# field NAME FILE: the number before that word in what record said
field() { sed -nE "s/.* ([0-9]+) $1.*/\1/p" "$2" | head -n 1; }

# sampling FILE: wait until record says that it samples
sampling()
{
	local i
	for i in $(seq 300); do
		! grep -qE "sampling($|;)" "$1" || return 0
		sleep 0.1
	done
}

check "without the module: how to load it" fails vmmprof record -d 1
insmod /lab/vmmprof.ko

# 1. Three seconds with two busy processes
spin=$(command -v spin || echo yes)
"$spin" > /dev/null & a=$!
"$spin" > /dev/null & b=$!
vmmprof record -d 3 -o s1 2> s1.said
check "record ends with status 0" test $? = 0
cat s1.said
# The same with less time for it: 0.3 % are three microseconds each millisecond.
vmmprof record -d 3 --max-overhead=0.05% -o rare 2> rare.said
kill $a $b
check "too much overhead: samples become rarer" \
	grep -E 'CPU [01] spent .* of at most 0.05 %.* times as far apart' rare.said
cat rare.said
vmmprof report -v -i rare > rare.txt
check "too much overhead: the report says when and why" \
	grep -E 'period: from [0-9.]+ s on samples are [0-9]+ times as far apart' rare.txt
check "too much overhead: the account adds up" grep -q 'The account adds up' rare.txt
check "too much overhead: samples are left" \
	at_least "$(vmmprof script -i rare | grep -c '^type=sample')" 20
check "no PMU: says that it samples by timer" grep -q "trigger: cpu-clock, timer" s1.said
# 2 CPUs x 3 s / 997 us = 6018; an emulated timer comes late, never early
check "not more samples than three seconds have" at_most "$(field samples, s1.said)" 6100
# on a busy machine far fewer
check "and both CPUs give some" at_least "$(grep -cE 'CPU +[01] +[0-9]{2,} samples' s1.said)" 2
check "none lost" equal "$(sed -nE 's/.* ([0-9]+) lost, on.*/\1/p' s1.said)" 0
check "no count contradicts the files" fails grep -q "the module wrote" s1.said
check "the busy process is in the host's maps" grep -aq "$(basename "$spin")" s1/host
check "kernel symbols are in the host's maps" grep -aq " asm_sysvec_apic_timer_interrupt" s1/host
id=$(od -An -v -tx1 -j 16 /sys/module/vmmprof/notes/.note.gnu.build-id | tr -d ' \n')
check "modules' build-ids are there" grep -aq "module.vmmprof=${id:-none}" s1/host
ls -l s1 /bin

# Instructions: of a program, and of the kernel that runs
# hottest MODE SESSION: the function of the host that has most samples
hottest()
{
	vmmprof report -i "$2" --sort mode,function -n 0 |
		awk -v m="$1" '$3 == m && $4 ~ /^[a-z_]/ { print $4; exit }'
}
# all_told FUNCTION SESSION FILE: its lines have as many samples as the report says
all_told()
{
	equal "$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.]+$/ { n += $1 } END { print n + 0 }' "$3")" \
		"$(vmmprof report -i "$2" --sort function -n 0 | awk -v f="$1" '$3 == f { print $1; exit }')"
}
f=$(hottest user s1)
vmmprof annotate -i s1 "$f" > a1
check "annotate: code of a process is its program's" grep -q "^Code: .*$(basename "$spin")\$" a1
check "annotate: every sample of it is at an instruction" all_told "$f" s1 a1
dd if=/dev/zero of=/dev/null bs=1M & a=$!
vmmprof record -q -d 1 -o s1k
kill $a
f=$(hottest kernel s1k)
vmmprof annotate -i s1k "$f" > a2
head -n 60 a2
check "annotate: code of the kernel is what runs" grep -q '^Code: /proc/kcore$' a2
check "annotate: every sample of it is at an instruction" all_told "$f" s1k a2
check "annotate: none is without code" fails grep -q '(no code)' a2

# 2. One CPU, faster, a command, its status passed on
vmmprof record -C 1 -c 100000 -o s2 -- sh -c 'sleep 1; exit 3' 2> s2.said
check "the command's exit status is passed on" test $? = 3
cat s2.said
# Their number depends on how busy the machine is, their distance does not.
check "one CPU at 0.1 ms" at_least "$(vmmprof script -i s2 | awk '
	/^type=sample/ { sub("t=", "", $3); if (n++ && $3 - t < 0.0005) near++
			 t = $3 } END { print near + 0 }')" 100
check "only its CPU has a file" test "$(echo s2/cpu-*)" = s2/cpu-1.rec
check "the command is in the host's maps" grep -aq busybox s2/host
vmmprof record -o s2b -- /nowhere/x 2> s2b.said
check "a command that is not there: status 1" test $? = 1
check "and no session is left" test ! -e s2b

# 3. Overwriting
vmmprof record -d 0.2 -o s2 2> s3.said
check "an old session is not overwritten" grep -q "session in 's2' already" s3.said
vmmprof record -d 0.2 --force -q -o s2 2> s3.said
check "with --force it is" test $? = 0
check "quiet says warnings only" fails grep -qv warning s3.said

# 4. Unknown to the PMU
vmmprof record -e ref-cycles -d 1 -o s4 2> s4.said
check "a refused event: status 1" test $? = 1
cat s4.said
check "a refused event is named" grep -q "event 'ref-cycles' on CPU 0" s4.said
check "and no session is left" test ! -e s4

# An unprivileged user: neither the device nor, once he may open it, perf
mkdir -p /etc
echo "nobody:x:65534:65534::/tmp:/bin/sh" > /etc/passwd
chmod 755 / /bin /lib* /usr 2>/dev/null
su nobody -c "vmmprof record -d 1 -o /tmp/s4b" 2> s4b.said
check "an unprivileged user: status 1" test $? = 1
cat s4b.said
check "he is told what he needs" grep -q "root.*CAP_PERFMON" s4b.said
chmod 666 /dev/vmmprof
su nobody -c "vmmprof record -d 1 -o /tmp/s4b" 2> s4b.said
check "the device's mode alone does not do" grep -q "not allowed to open" s4b.said
chmod 600 /dev/vmmprof
echo 0 > /sys/devices/system/cpu/cpu1/online
vmmprof record -C 1 -d 0.3 -o s4c 2> s4c.said
check "a CPU that is offline is told" grep -q "CPU 1 is offline" s4c.said
echo 1 > /sys/devices/system/cpu/cpu1/online

# 5. A second recorder
vmmprof record -d 4 -o s5 2> s5.said & first=$!
sampling s5.said
vmmprof record -d 1 -o s5b 2> s5b.said
cat s5b.said
check "a second recorder is told of the first" grep -q "process $first (vmmprof)" s5b.said
check "rmmod is refused meanwhile" fails rmmod vmmprof
# a CPU goes and comes back
echo 0 > /sys/devices/system/cpu/cpu1/online
sleep 0.3
echo 1 > /sys/devices/system/cpu/cpu1/online
wait $first
check "the first is not disturbed" test $? = 0
cat s5.said

# 6. SIGKILL while sampling, with a command that goes on
vmmprof record -o s6 -- sleep 30 2> s6.said & first=$!
sampling s6.said
has_records() { [ "$(stat -c %s s6/cpu-0.rec)" -ge 20000 ]; }
soon has_records
kill -9 $first
wait $first
check "a killed recorder leaves records" has_records
check "and a session without its end" vmmprof guests -i s6
vmmprof record -d 0.3 -q -o s6b
check "the next one can begin at once" test $? = 0

# 7. Signals, undrained, a process that starts meanwhile
vmmprof record -o s7 2> s7.said & first=$!
sampling s7.said
"$spin" > /dev/null & a=$!
sleep 0.3
kill $a
wait $a
kill -INT $first
wait $first
check "Ctrl-C ends it with status 0" test $? = 0
check "a process that came and went is in the maps" grep -aq "$spin" s7/host
vmmprof record --no-drain -c 10000000 -d 2 -o s8 2> s8.said
check "undrained: samples are written at the end" at_least "$(field samples, s8.said)" 20
check "and all of them are there" equal "$(field samples, s8.said)" \
	"$(vmmprof script -i s8 | grep -c '^type=sample')"
vmmprof record --no-drain -m 16K -d 2 -o s9 2> s9.said
cat s9.said
check "a ring too small: the lost are told" grep -q "samples were lost" s9.said

# 8. The disk fills up
mkdir /tmp/small
mount -t tmpfs -o size=16m small /tmp/small
vmmprof record -o /tmp/small/s 2> s10.said & first=$!
sampling s10.said
dd if=/dev/zero of=/tmp/small/filler bs=64k 2> /dev/null
wait $first
check "a full disk ends it with status 1" test $? = 1
check "and with the reason" grep -q "cannot write.*No space left" s10.said
cat s10.said
check "what was written is a session" vmmprof guests -i /tmp/small/s
# No file may be larger than 1 MiB (SIGXFSZ): records, without kernel symbols
echo 2 > /proc/sys/kernel/kptr_restrict
(ulimit -f 1024; exec vmmprof record -C 0 -c 50000 -d 60 -o s10a 2> s10a.said)
check "a limit of file sizes ends it with status 1" test $? = 1
echo 0 > /proc/sys/kernel/kptr_restrict
check "and with the reason, once" test "$(grep -c "cannot write.*File too large" s10a.said)" = 1
check "and what to do" grep -q 'ulimit -f' s10a.said
cat s10a.said
check "what was written is read" vmmprof report -i s10a
check "and has samples" at_least "$(vmmprof script -i s10a | grep -c '^type=sample')" 100

# 9. Was the module built for the kvm that runs?
# late_sampled SESSION: enough of the VM is there, and record knows its name
late_sampled()
{
	vmmprof guests -i "$1" | grep -q '^late ' &&
		[ "$(vmmprof script -i "$1" | grep -c '^type=sample.*vcpu=0')" -ge 20 ]
}

# later WORD: record from before kvm is loaded until a guest has run; then both
# are gone
later()
{
	vmmprof record -d 30 -o "$1" 2> "$1.said" & first=$!
	sampling "$1.said"
	kvm
	tinyvm -name late & vm=$!
	soon grep -qE "KVM was loaded|guests are not sampled" "$1.said"
	grep -q "KVM was loaded" "$1.said" && soon late_sampled "$1" || sleep 1.5
	kill -9 $vm
	wait $vm
	kill -INT $first
	wait $first
	later=$?
	cat "$1.said"
	vmmprof script -i "$1" > "$1.txt"
	rmmod kvm_amd kvm
}
later s11a
check "kvm that comes later: record ends well" test $later = 0
check "... says that its guests are sampled" grep -q "KVM was loaded: its guests" s11a.said
check "... and the session does" grep -aq 'KVM was loaded meanwhile' s11a/info
check "... and so once" equal "$(grep -c "KVM was loaded" s11a.said)" 1
check "... and its vCPU is known" at_least "$(grep -c '^type=sample.*vcpu=0' s11a.txt)" 20
kvm
vmmprof doctor > doctor.said
grep -A 1 'kvm layout' doctor.said
tinyvm -name one & vm=$!
case $(uname -r) in
5.10.*)
	check "layout: where modules have no BTF it is not verified" \
		grep -q 'ok .*kvm layout *not verified: /sys/kernel/btf/kvm' doctor.said
	;;
*)
	check "layout: the module was built for this kvm" \
		grep -q 'ok .*kvm layout *vmmprof.ko was built for this kvm' doctor.said
	;;
esac
check "AMD: doctor knows the CPU" grep -q '^ *ok *CPU .*AMD-V' doctor.said
vmmprof record -v --exits -d 1 -o s11 2> s11.said
kill -STOP $vm
cat s11.said
check "layout: and a vCPU is known" \
	at_least "$(vmmprof script -i s11 | grep -c '^type=sample.*vcpu=0')" 20
# These machines are AMD's: a guest that spins leaves by interrupts.
check "AMD: the session says so" equal \
	"$(vmmprof report -i s11 --json | sed -nE 's/.*"vendor": "([a-z]*)".*/\1/p')" svm
vmmprof script -i s11 | grep '^type=sample.*vcpu=0' > s11.txt
check "AMD: its samples have AMD's exit code" \
	at_least "$(grep -c ' exit=0x60:INTR' s11.txt)" 20
check "AMD: and of no exit another vendor's, or none" \
	fails grep -E ' exit=([0-9]+:|[^ ]*:\?)' s11.txt
vmmprof exits -i s11 --csv > s11.exits
cat s11.exits
check "AMD: exits are counted by AMD's names" grep -q '^"one",,96,INTR,[1-9]' s11.exits
check "AMD: and all have one" \
	fails grep -E 'EXTERNAL_INTERRUPT|EPT_|IO_INSTR|unknown|not read' s11.exits
if [ -e /lab/wrong.ko ]; then
	rmmod vmmprof
	insmod /lab/wrong.ko
	vmmprof doctor > doctor.said
	grep -A 1 'kvm layout' doctor.said
	kill -CONT $vm
	check "layout: doctor finds a module of another kvm" \
		grep -q 'warn .*kvm layout *no guests: its kvm_vcpu.preempt_notifier is at' doctor.said
	vmmprof record -q -d 1 -o s12 2> s12.said
	check "layout: with one record ends well" test $? = 0
	cat s12.said
	check "layout: says why there are no guests" grep -q \
		'guests are not sampled: .*at offset [0-9]*, the module.s at [0-9]*' s12.said
	check "layout: and what to do" grep -q 'make kmod' s12.said
	vmmprof script -i s12 > s12.txt
	check "layout: the host is sampled" at_least "$(grep -c '^type=sample' s12.txt)" 20
	check "layout: and no vCPU is known" fails grep -q 'vcpu=[0-9]' s12.txt
	check "layout: the session says it" grep -aq 'no guests: the module was built' s12/info
	kill -9 $vm
	wait $vm
	rmmod kvm_amd kvm
	later s12a
	check "another kvm that comes later: record ends well" test $later = 0
	check "... says why there are no guests" grep -q \
		'guests are not sampled: .*at offset [0-9]*, the module.s at [0-9]*' s12a.said
	check "... the host is sampled" at_least "$(grep -c '^type=sample' s12a.txt)" 20
	check "... and no vCPU is known" fails grep -q 'vcpu=[0-9]' s12a.txt
	check "... the session says it" grep -aq 'no guests of the KVM that was loaded meanwhile' s12a/info
else
	kill -9 $vm
fi


# 10. A user maps files made to harm: symbols of 135 MiB each, of 2 MiB
if [ -e /lab/bombs ]; then
	mkdir -m 777 /tmp/bombs
	cp /lab/bombs/* /tmp/bombs/
	vmmprof record -d 5 -o s13 2> s13.said & first=$!
	sampling s13.said
	su nobody -c "mapped /tmp/bombs/*" & a=$!
	wait $first
	check "files made to harm: the recording ends well" test $? = 0
	kill $a
	cat s13.said
	check "and no sample is lost to them" equal \
		"$(sed -nE 's/.* ([0-9]+) lost, on.*/\1/p' s13.said)" 0
	check "what is left out is told" grep -q "processes of user [0-9]* have mapped are left out" s13.said
	check "the host's file stays small" at_most "$(stat -c %s s13/host)" 100000000
	check "and is read" vmmprof report -i s13
	check "the kernel's functions have names" grep -aq " asm_sysvec_apic_timer_interrupt" s13/host
fi
rmmod vmmprof

# 11. Processes without rights, on a kernel without Landlock
if [ -e /lab/test_confine_calls ]; then
	check "this kernel has no Landlock" fails grep -q landlock_create_ruleset /proc/kallsyms
	mkdir -p /etc
	[ -e /etc/passwd ] || echo 'root:x:0:0::/:/bin/sh' > /etc/passwd
	[ -e /etc/shadow ] || (umask 077; echo 'root:*:1::::::' > /etc/shadow)
	/lab/test_confine_calls > confine.said 2>&1
	check "no Landlock: what is confined reaches nothing" test $? = 0
	/lab/test_confine_opener >> confine.said 2>&1
	check "no Landlock: nothing private is opened for it" test $? = 0
	cat confine.said
fi
check "rmmod afterwards" test ! -e /dev/vmmprof
check "the kernel had nothing to say" silent
