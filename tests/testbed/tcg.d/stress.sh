# SPDX-License-Identifier: GPL-2.0-only
# MODULES: null_blk ext4
# vmmprof record under stress: a disk that is slow, fails or fills up, SIGKILL at
# any moment, clocks that jump, a hundred VMs that come and die.  Nothing is
# lost uncounted, what was written is read, and the message says what to do.

# sampling FILE: wait until record says that it samples
sampling()
{
	local i
	for i in $(seq 300); do
		! grep -qE "sampling($|;)" "$1" || return 0
		sleep 0.1
	done
}

# said NUMBER-OF FILE: "samples" or "lost" in record's last line
said() { sed -nE "/ lost, on /s/.* ([0-9]+) $1,? .*/\1/p" "$2" | head -n 1; }

# lines SESSION [MOST]: samples that are there; with MOST: no more are looked at
lines() { vmmprof script -i "$1" 2> /dev/null | grep -c ${2:+-m "$2"} '^type=sample'; }

# adds_up SESSION: the account of its samples
adds_up() { vmmprof report -v -i "$1" 2>&1 | grep -q 'The account adds up'; }

# disk NAME MEGABYTES ATTRIBUTE=VALUE...: an ext2 of its own in memory at /tmp/NAME
disk()
{
	local name=$1 dev a
	dev=/sys/kernel/config/nullb/$name
	mkdir "$dev"
	echo "$2" > "$dev/size"
	echo 1 > "$dev/memory_backed"
	shift 2
	for a; do
		echo "${a#*=}" > "$dev/${a%%=*}"
	done
	echo 1 > "$dev/power"
	# what does not fit into 20 ms of its mbps is never written
	echo 16 > "/sys/block/$name/queue/max_sectors_kb"
	mkfs.ext2 -q -N 64 -E nodiscard "/dev/$name"
	mkdir "/tmp/$name"
	mount -t ext4 "/dev/$name" "/tmp/$name"
}

for m in $(cat /lab/modules/order); do
	[ "$m" = null_blk.ko ] && options=nr_devices=0 || options=
	insmod "/lab/modules/$m" $options 2> /dev/null
done
mount -t configfs none /sys/kernel/config
insmod /lab/vmmprof.ko
# It runs while something is recorded.
spin > /dev/null & busy=$!

# 1. A disk that takes 1 MB/s, and nothing for five seconds: so that samples are
# lost where an emulated CPU takes few of them, too.  Little memory for what waits.
disk slow 48 mbps=1
echo 65536 > /proc/sys/vm/dirty_background_bytes
echo 131072 > /proc/sys/vm/dirty_bytes
vmmprof record -d 8 -c 20000 -m 64K -o /tmp/slow/s 2> slow.said & first=$!
sampling slow.said
fsfreeze --freeze /tmp/slow
sleep 5
fsfreeze --unfreeze /tmp/slow
wait $first
check "slow disk: record ends with status 0" test $? = 0
kill -STOP $busy
cat slow.said
check "slow disk: samples were lost" at_least "$(said lost slow.said)" 1
check "slow disk: what to do is said" grep -q 'samples were lost: larger rings (-m)' slow.said
check "slow disk: the others are there" equal "$(said samples slow.said)" "$(lines /tmp/slow/s)"
vmmprof report -v -i /tmp/slow/s > slow.txt 2>&1
check "slow disk: the report has them all, and the lost" equal \
	"$(sed -nE 's/^ *lost +([0-9]+)$/\1/p' slow.txt)" "$(said lost slow.said)"
check "slow disk: the account adds up" grep -q 'The account adds up' slow.txt
for f in dirty_background_ratio:10 dirty_ratio:20; do
	echo "${f#*:}" > "/proc/sys/vm/${f%:*}"
done

# 2. A disk that fails when the kernel writes behind record's back
disk broken 64
kill -CONT $busy
vmmprof record -d 3 -o /tmp/broken/s 2> broken.said & first=$!
sampling broken.said
sync
echo "+2048-131071" > /sys/kernel/config/nullb/broken/badblocks
wait $first
check "broken disk: record ends with status 1" test $? = 1
kill -STOP $busy
cat broken.said
check "broken disk: which file was not written, and why" \
	grep -qE "is not complete: cannot write its file [^ ]+: Input/output error" broken.said
check "broken disk: what to do is said" grep -q 'name another place with -o' broken.said

# 3. A disk that fills up
disk small 8
kill -CONT $busy
vmmprof record -d 60 -c 20000 -o /tmp/small/s 2> small.said
check "full disk: record ends with status 1" test $? = 1
kill -STOP $busy
cat small.said
check "full disk: why and what to do" grep -A 1 'No space left' small.said
lines=$(lines /tmp/small/s)
check "full disk: samples are there" at_least "$lines" 1000
vmmprof report -v -i /tmp/small/s > small.txt 2>&1
cat small.txt
if grep -q 'cannot write the session' small.said; then
	# nor was there room for how many were taken
	check "full disk: the report says that the end is missing" grep 'did not finish' small.txt
	check "full disk: and has what is there" grep 'The account adds up' small.txt
else
	check "full disk: the report says that samples are missing" \
		grep 'WARNING: samples are missing' small.txt
	check "full disk: and how many" equal "$(said samples small.said) $lines" \
		"$(awk '/ samples were written, / { n += $3; m += $7 } END { print n, m }' small.txt)"
fi

# 4. SIGKILL at any moment
for i in 1 2 3; do
	kill -CONT $busy
	vmmprof record -c 50000 -o "killed$i" 2> killed.said & first=$!
	sampling killed.said
	sleep "0.$((i * 13 % 10))$i"
	kill -9 $first
	wait $first
	kill -STOP $busy
	vmmprof report -v -i "killed$i" > killed.txt 2>&1
	check "killed $i: the session is read" test $? = 0
	check "killed $i: it says that it was not finished" grep -q 'did not finish' killed.txt
	check "killed $i: the account adds up" grep -q 'The account adds up' killed.txt
	check "killed $i: samples are there" at_least "$(lines "killed$i" 100)" 100
	rm -rf "killed$i"
done

# 5. The clock jumps by a day, and back by two; record has its own
now() { cut -d ' ' -f 1 /proc/uptime; }
start=$(now)
kill -CONT $busy
vmmprof record -d 4 -o jump 2> jump.said & first=$!
sampling jump.said
sleep 1
date -s "@$(($(date +%s) + 86400))" > /dev/null
sleep 1
date -s "@$(($(date +%s) - 172800))" > /dev/null
wait $first
check "clock jumps: record ends with status 0" test $? = 0
kill -STOP $busy
cat jump.said
check "clock jumps: it took as long as asked" within \
	"$(sed -nE 's/.* in ([0-9.]+) s;.*/\1/p' jump.said)" 4 1
check "clock jumps: and not a day" at_most "$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')" 120
check "clock jumps: the account adds up" adds_up jump
date -s "@$(($(date +%s) + 86400))" > /dev/null

# 6. VMs that come and die, some while record ends
kill -9 $busy
kvm
mount -t debugfs none /sys/kernel/debug
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
files() { ls "/proc/$1/fd" | wc -l; }
# wave N: fifty VMs that record has seen; of ten that are there, one goes on running
wave()
{
	local i n
	vms=
	for i in $(seq 50); do
		tinyvm -name "vm$1-$i" &
		vms="$vms $!"
		[ $((i % 10)) = 0 ] || continue
		for n in $(seq 300); do
			[ "$(ls -d /sys/kernel/debug/kvm/*-* 2> /dev/null | wc -l)" -lt "$i" ] || break
			sleep 0.1
		done
		kill -STOP $(echo $vms | cut -d ' ' -f "$((i - 8))-$i")
	done
	# A round of record takes seconds here: CPUs that are emulated, and VMs spin on.
	soon grep -qa "vm$1-50" many/info
}
end_wave()
{
	kill -9 $vms
	wait $vms 2> /dev/null
	sleep 1
}
vmmprof record --no-guest-memory -F 250 -o many 2> many.said & first=$!
sampling many.said
files1=$(files $first)
wave 1
end_wave
memory1=$(memory $first)
files2=$(files $first)
wave 2
kill -INT $first
end_wave
wait $first
check "many VMs: record ends with status 0" test $? = 0
cat many.said
check "many VMs: descriptors of those that ended are closed" equal "$files1" "$files2"
echo "memory after the first wave: $memory1 kB"
check "many VMs: that none has names is one line, and how many" \
	grep -E 'warning: [0-9]+ guests \(vm1-1, .* and [0-9]+ more\): no names: agent:' many.said
# one whose name was not known yet may be a line of its own
check "many VMs: and not a line for each" at_most "$(grep -c ': no names: ' many.said)" 5
check "many VMs: all are in the session" equal \
	"$(vmmprof guests -i many | grep -oE 'vm[12]-[0-9]+' | sort -u | wc -l)" 100
check "many VMs: what was sampled is there" equal "$(said samples many.said)" "$(lines many)"
check "many VMs: the account adds up" adds_up many
rmmod vmmprof
check "the kernel had nothing to say" silent
