# SPDX-License-Identifier: GPL-2.0-only
# What a scenario's host() may use: guests and results.  check.sh has the
# functions for checks.  Times are emulated seconds.

. /lab/host/check.sh
guests=/run/guest
# As outside: whose CPU this is; KVM's parameter for nested paging there.
case $(grep -m1 vendor_id /proc/cpuinfo) in
*AuthenticAMD) HOST_CPU=amd nested=npt ;;
*) HOST_CPU=intel nested=ept ;;
esac
export HOST_CPU
guest_append="console=ttyS0,115200 quiet tsc=reliable pti=on
	cryptomgr.notests initcall_blacklist=load_system_certificate_list"

# Arguments for guest_start: not decompressed, so up in a quarter of the time,
# and not moved (KASLR): for guests that are not about where a kernel lies.
fast="-kernel /lab/guest/vmlinux"

# Guests' memory is read in scenarios that say GUEST_MEMORY=yes only.  In others it
# would take emulated seconds of the CPU that they measure.  A program, no function:
# what a scenario kills is the recorder then, and no shell around it.
if [ ! -e /run/bin/vmmprof ]; then
	mkdir -p /run/bin
	cat > /run/bin/vmmprof <<- END
		#!/bin/bash
		case \$1,\${GUEST_MEMORY:-no},\$* in
		*,no,*--identity* | *,no,*--no-guest-memory* | \\
		record,no,*--guest-bundle*) ;;
		record,no,* | top,no,*)
			verb=\$1; shift; set -- \$verb --identity=bundle "\$@" ;;
		esac
		exec $(type -P vmmprof) "\$@"
	END
	chmod 755 /run/bin/vmmprof
fi
[[ $PATH == /run/bin:* ]] || PATH=/run/bin:$PATH

# up: seconds since the host's boot
up() { cut -d' ' -f1 /proc/uptime; }

# result FILE...: keep FILE (or directory) for after()
result() { cp -r "$@" "$RESULT/"; }

# note TEXT...: a line for the terminal
note() { echo "@@ note $SCENARIO: $*" > /dev/console; }

# guest_start NAME [QEMU ARGUMENTS]: boot a guest; returns at once.  A guest
# with the same name and arguments that still runs is used again.
# GUEST_APPEND: more kernel parameters.
guest_start()
{
	local name=$1 dir=$guests/$1
	shift
	if guest_alive "$name"; then
		if [ "$(cat "$dir/args")" = "$* $GUEST_APPEND" ]; then
			guest_nice "$name" 0 # as a scenario before may have left it
			return
		fi
		guest_stop "$name"
	fi
	rm -rf "$dir"
	mkdir -p "$dir/share"
	echo "$* $GUEST_APPEND" > "$dir/args"
	mkfifo "$dir/control.in" "$dir/control.out"
	: > "$dir/console"
	tail -n +1 -F "$dir/console" 2>/dev/null |
		sed -u "s/^/$name: /" > /dev/ttyS1 2>&1 &
	# -M pc: no ACPI hardware but a timer, so few exits
	qemu-system-x86_64 -name "guest=$name,debug-threads=on" \
		-M pc -enable-kvm -cpu host,pmu=off -m 256 \
		-nodefaults -no-user-config -nographic -display none \
		-serial "file:$dir/console" \
		-chardev "pipe,id=control,path=$dir/control" \
		-serial chardev:control \
		-virtfs "local,path=$dir/share,mount_tag=share,security_model=none" \
		-kernel /lab/guest/vmlinuz -initrd /lab/guest/initramfs \
		-append "$(echo $guest_append $GUEST_APPEND)" \
		-pidfile "$dir/pid" "$@" < /dev/null > "$dir/qemu.log" 2>&1 &
	echo $! > "$dir/qemu"
}

# guest_alive NAME
guest_alive()
{
	[ -e "$guests/$1/qemu" ] && kill -0 "$(cat "$guests/$1/qemu")" 2>/dev/null
}

# guest_wait NAME [SECONDS]: until its init answers; fails if QEMU ends or
# the time passes
guest_wait()
{
	local name=$1 dir=$guests/$1 line= part until
	[ ! -e "$dir/ready" ] || return 0
	until=$((SECONDS + ${2:-240}))
	exec 8<> "$dir/control.out"
	while [ $SECONDS -lt $until ]; do
		# What came of a line before the time was over is not lost.
		if ! read -r -t 5 part <&8; then
			line=$line$part
		elif [ "$line$part" = ready ]; then
			touch "$dir/ready"
			exec 8<&-
			note "guest $name ready at $(up)"
			return 0
		else
			line=
		fi
		guest_alive "$name" || break
	done
	exec 8<&-
	echo "guest $name is not ready" >&2
	tail -n 5 "$dir/console" "$dir/qemu.log" >&2
	return 1
}

# guest_sh NAME COMMAND [SECONDS]: run a shell command in the guest; prints
# its output, returns its status (124: no answer in time).  Append & for what
# is to go on running, and redirect its output.
guest_sh()
{
	local name=$1 dir=$guests/$1 n line
	n=$(($(cat "$dir/count" 2>/dev/null || echo 0) + 1))
	echo $n > "$dir/count"
	printf '%s\n' "$2" > "$dir/share/$n.sh"
	exec 8<> "$dir/control.out"
	echo $n > "$dir/control.in"
	while read -r -t "${3:-120}" line <&8; do
		[ "$line" != "$n" ] || break
	done
	exec 8<&-
	if [ "$line" != "$n" ]; then
		echo "guest $name: no answer" >&2
		return 124
	fi
	cat "$dir/share/$n.out"
	return "$(cat "$dir/share/$n.status")"
}

# guest_put NAME FILE...: copy files into the guest's /tmp
guest_put()
{
	local name=$1 f
	shift
	for f; do
		cp "$f" "$guests/$name/share/"
		guest_sh "$name" "cp /share/$(basename "$f") /tmp/" || return
	done
}

# guest_get NAME FILE [AS]: fetch a file from the guest into the present
# directory, its MD5 compared
guest_get()
{
	local name=$1 file=$2 as=${3:-$(basename "$2")} sum
	guest_sh "$name" "cp $file /share/get && md5sum < /share/get" \
		> "$guests/$name/sum" || return
	sum=$(md5sum < "$guests/$name/share/get")
	[ "$sum" = "$(cat "$guests/$name/sum")" ] ||
		{ echo "$file of $name arrived damaged" >&2; return 1; }
	cp "$guests/$name/share/get" "$as"
}

# agent_channel NAME: arguments for guest_start, for QEMU's guest agent there
agent_channel()
{
	echo "-device virtio-serial
		-chardev socket,path=$guests/$1/agent,server=on,wait=off,id=qga0
		-device virtserialport,chardev=qga0,name=org.qemu.guest_agent.0"
}

# agent_start NAME: run the agent there
agent_start()
{
	guest_sh "$1" 'qemu-ga -m virtio-serial -p "$(ls /dev/vport*)" \
		-t /run -f /run/qga.pid -d'
}

# nice_of NICE PID...: of all their threads.  With 19 they run where nothing else wants
# the CPU: a recorder beside busy processes begins in half the time.
nice_of()
{
	local nice=$1 pid tasks=()
	shift
	for pid; do
		tasks+=("/proc/$pid"/task/*)
	done
	renice -n "$nice" -p "${tasks[@]##*/}" > /dev/null
}

# guest_nice NAME NICE: of its QEMU
guest_nice() { nice_of "$2" "$(cat "$guests/$1/qemu")"; }

# guest_stop NAME: end it at once
guest_stop()
{
	guest_alive "$1" || return 0
	kill -9 "$(cat "$guests/$1/qemu")"
	while guest_alive "$1"; do sleep 0.1; done
}

# guests_only NAME...: end every other guest that an earlier scenario left
guests_only()
{
	local dir name
	for dir in "$guests"/*/; do
		name=$(basename "$dir")
		case " $* " in
		*" $name "*) ;;
		*) [ ! -e "$dir" ] || guest_stop "$name" ;;
		esac
	done
}

# guest_quiet: end everything but init in every guest still running
guest_quiet()
{
	local dir
	for dir in "$guests"/*/; do
		[ ! -e "$dir/ready" ] || ! guest_alive "$(basename "$dir")" ||
			guest_sh "$(basename "$dir")" "kill -9 -1" 30 > /dev/null
	done
}

# guest_kaslr NAME: prove that the kernel was moved and PTI is on.  Its address and
# its place in memory are drawn apart; one boot of 500 draws the usual address.
guest_kaslr()
{
	local text code
	text=$(guest_sh "$1" "sed -n 's/ T _text\$//p' /proc/kallsyms")
	code=$(guest_sh "$1" "sed -n 's/^ *\(.*\)-.* : Kernel code\$/\1/p' \
		/proc/iomem")
	echo "$1: _text at $text, in memory at $code"
	[ -n "$text" ] && [ -n "$code" ] &&
		[ "$text $code" != "ffffffff81000000 01000000" ] &&
		guest_sh "$1" "grep -qw pti /proc/cpuinfo"
}

# nmis: NMIs of all CPUs so far
nmis()
{
	awk '/NMI:/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i }
		END { print n }' /proc/interrupts
}

# kernel_log: what the kernel has said since this scenario began
kernel_log() { dmesg | sed "1,/vmmprof-testbed: begin $SCENARIO\$/d"; }

# quiet: no NMI for a second (the watchdog is off)
quiet()
{
	local before
	before=$(nmis)
	sleep 1
	equal "$before" "$(nmis)"
}

# kernel_calm: no warning, no stall, no leak among it
kernel_calm()
{
	fails grep -E 'WARNING|BUG|Oops|Call Trace|RIP:|stall|INFO: task|leak' \
		<(kernel_log)
}

# module [PARAMETERS]: load vmmprof.ko, if it is not
module()
{
	[ -c /dev/vmmprof ] || insmod /lab/vmmprof.ko "$@"
}

# guest_watch NAME [OPTIONS]: start vmmprof-guest watch there; returns when it
# watches
guest_watch()
{
	local name=$1
	shift
	guest_sh "$name" "
		rm -f /tmp/watch.* /tmp/$name.bundle
		vmmprof-guest watch -o /tmp/$name.bundle $* \
			> /tmp/watch.out 2>&1 &
		echo \$! > /tmp/watch.pid
		until grep -qs ready /tmp/watch.out; do
			kill -0 \$! || break
			sleep 0.2
		done
		cat /tmp/watch.out
		grep -q ready /tmp/watch.out"
}

# guest_bundle NAME: stop watching, fetch NAME.bundle into this directory
guest_bundle()
{
	guest_sh "$1" "
		kill -TERM \$(cat /tmp/watch.pid)
		while kill -0 \$(cat /tmp/watch.pid) 2>/dev/null; do
			sleep 0.2
		done
		cat /tmp/watch.out; ls -l /tmp/$1.bundle" &&
		guest_get "$1" "/tmp/$1.bundle"
}

# window_at_nmi: the cost counter gets the entry of the NMI handler that KVM calls
# (newer kernels: asm_exc_nmi_kvm_vmx)
window_at_nmi()
{
	window -e "$(awk '$3 == "asm_exc_nmi_kvm_vmx" { new = $1 }
		$3 == "asm_exc_nmi_noist" { old = $1 }
		END { print new ? new : old }' /proc/kallsyms)"
}
