# SPDX-License-Identifier: GPL-2.0-only
# One emulated machine: its payload and its directory (sourced after
# common.sh, initramfs.sh, bochs.sh, root.sh).

# guest_initramfs KERNELDIR FILE: busybox, 9p, workloads, vmmprof-guest,
# QEMU's guest agent with the shell and the gzip of Debian
guest_initramfs()
{
	local tmp=$2.tree file
	rm -rf "$tmp"
	busybox_into "$tmp"
	mkdir -p "$tmp/share"
	modules_into "$tmp/mod" "$1" virtio_pci 9pnet_virtio 9p \
		virtio_blk virtio_console virtio_balloon \
		vmw_vsock_virtio_transport
	programs_into "$tmp" qemu-ga gzip dash
	ln -s dash "$tmp/bin/sh"
	cp "$bed/guest/init" "$tmp/init"
	cp "$build"/workloads/{spin,shor,sorter,taskoffsets,nop,exits,jit,pump} \
		"$build"/workloads/{deep,calls,calls_nofp,syscalls,touches,kcode} \
		"$build"/workloads/{bare,bare_pie} \
		"$tmp/bin/"
	for file in "$build/vmmprof-guest"; do
		[ ! -e "$file" ] || cp "$file" "$tmp/bin/"
	done
	initramfs "$tmp" "$2"
	rm -rf "$tmp"
}

# workloads: build them
workloads()
{
	mkdir -p "$build/workloads"
	locked workloads make -s -C "$bed/workloads" "OUT=$build/workloads" >&2
}

# scenarios: the files of those in $list, and of those that they are like
scenarios()
{
	while read -r _ file _; do
		file=$bed/scenarios/$file
		echo "$file"
		sed -n "s|^\. .*/\(.*\.sh\)\"\$|$bed/scenarios/\1|p" "$file"
	done < "$list"
}

# host_initramfs CPU KERNELDIR GUESTKERNELDIR MODULE FILE: the host's initramfs
# with the payload: everything that is not in the root image
host_initramfs()
{
	local cpu=$1 kernel=$2 guest=$3 module=$4 out=$5 tmp=$5.tree lab file
	lab=$tmp/payload
	rm -rf "$tmp"
	busybox_into "$tmp"
	mkdir -p "$lab"/{bin,mod,guest,scenarios,host}
	cp "$bed/host/initramfs-init" "$tmp/init"
	# Up to 6.12 ext4 asks for it by name; 7.x has it built in.
	if find -L "$kernel/modules" -name 'crc32c_generic.ko*' | grep -q .; then
		modules_into "$tmp/mod" "$kernel" crc32c_generic
	fi
	modules_into "$tmp/mod" "$kernel" ata_piix sd_mod ext4
	modules_into "$lab/mod" "$kernel" "kvm_$cpu"
	# Those built here have no network but Unix sockets.
	! grep -q '^CONFIG_VHOST_VSOCK=m' "$kernel/config" ||
		modules_into "$lab/mod" "$kernel" vhost_vsock
	cp "$bed"/host/{init,lib.sh,scenario,guests-stop,guest-sh} "$bed/lib/check.sh" \
		"$lab/host/"
	cp "$build"/workloads/* "$bed"/host/{guest-sh,fair} "$lab/bin/"
	cp "$guest/vmlinuz" "$lab/guest/"
	# Large, so only for scenarios that use lib.sh's `fast`.
	if scenarios | xargs grep -q '\$fast'; then
		python3 "$bed/boot/mkrom.py" --elf "$guest/vmlinuz" \
			"$lab/guest/vmlinux"
	fi
	guest_initramfs "$guest" "$lab/guest/initramfs"
	for file in "$build/vmmprof" "$build/vmmprof-guest"; do
		[ ! -e "$file" ] || cp "$file" "$lab/bin/"
	done
	[ -z "$module" ] || {
		cp "$module" "$lab/vmmprof.ko"
		strip --strip-debug "$lab/vmmprof.ko"
	}
	if scenarios | xargs grep -q fakevcpu.ko; then
		cp "$("$bed/kbuild" -d "$top/tests/kmod/fake" "${kernel_line:?}" |
			grep '^/.*/fakevcpu.ko$')" "$lab/"
	fi
	if scenarios | xargs grep -q broken.ko; then
		cp "$("$top/tests/kmod/broken" "$build" "$kernel_line")" "$lab/"
		strip --strip-debug "$lab/broken.ko"
	fi
	if scenarios | xargs grep -q torture.sh; then
		cp "$top/tests/kmod/torture.sh" "$bed/lib/silent.sh" "$lab/"
	fi
	if scenarios | xargs grep -q mariadb.tar; then
		locked mariadb mariadb_build
		cp "$(mariadb_tar)" "$lab/mariadb.tar"
	fi
	if scenarios | xargs grep -q /lab/sink.py; then
		cp "$top"/tests/cases/{sink,protofields}.py "$lab/"
	fi
	cp -r "$bed/scenarios/." "$lab/scenarios/"
	cp "$list" "$lab/list"
	initramfs "$tmp" "$out"
	rm -rf "$tmp"
}

# machine DIR CPU KERNELDIR CPUS MEGABYTES "KERNEL PARAMETERS": DIR/bochsrc and
# what it refers to; DIR/initramfs exists already
machine()
{
	local dir=$1 cpu=$2 kernel=$3 cpus=$4 memory=$5 cmdline=$6 model
	case $cpu in
	intel) model=corei7_haswell_4770 ;;
	amd) model=ryzen ;;
	*) die "HOST_CPU $cpu: intel or amd" ;;
	esac
	rm -f "$dir"/*.lock
	truncate -s 0 "$dir/result.img"
	truncate -s 1G "$dir/result.img"
	# quantum: ticks that pass for a halted CPU while another one does one
	# trace (about as many instructions): more makes time run away.
	cat > "$dir/bochsrc" <<-EOF
	megs: $memory
	cpu: model=$model, count=$cpus, quantum=8, ips=100000000, reset_on_triple_fault=0, ignore_bad_msrs=1
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	ata0-master: type=disk, path=$(root_image), mode=volatile, journal=$dir/root.journal
	ata0-slave: type=disk, path=$dir/result.img, mode=flat
	com1: enabled=1, mode=file, dev=host.out
	com2: enabled=1, mode=file, dev=side.out
	vga: extension=vbe, update_freq=5, realtime=0
	display_library: nogui
	log: bochs.log
	clock: sync=none, time0=1000000000
	pci: enabled=1, chipset=i440fx
	panic: action=fatal
	error: action=ignore
	info: action=ignore
	pmu: enabled=1, vmx=controls, tsc_hz=100000000, seed=1
	EOF
	python3 "$bed/boot/mkrom.py" "$kernel/vmlinuz" "$dir/initramfs" \
		"$dir" "$cmdline" >> "$dir/bochsrc"
}
