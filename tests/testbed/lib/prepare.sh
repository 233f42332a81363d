#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# prepare.sh DIR HOST_CPU HOST_KERNEL GUEST_KERNEL CPUS MEMORY CMDLINE MODULE
# Fill DIR with a machine that runs the scenarios in DIR/list.  HOST_CPU: intel
# or amd.  MODULE: "none" or "vmmprof".  Prints the emulator's path.

. "$(dirname "$0")/common.sh"
. "$bed/lib/apt.sh"
. "$bed/lib/initramfs.sh"
. "$bed/lib/bochs.sh"
. "$bed/lib/root.sh"
. "$bed/lib/chroot.sh"
. "$bed/lib/mariadb.sh"
. "$bed/lib/machine.sh"

dir=$1 cpu=$2 host=$3 guest=$4 cpus=$5 memory=$6 cmdline=$7 module=$8
build=${VMMPROF_BUILD:-$top/build}
list=$dir/list
"$bed/build" "$host" "$guest" >&2
host_kernel=$("$bed/kernel" --image "$host")
guest_kernel=$("$bed/kernel" --image "$guest")
case $module in
none) ko= ;;
*)
	ko=$("$bed/kbuild" "$host" | tail -n 1)
	[ -e "$ko" ] || die "no module for kernel $host" ;;
esac
workloads
kernel_line=$host
host_initramfs "$cpu" "$host_kernel" "$guest_kernel" "$ko" "$dir/initramfs"
machine "$dir" "$cpu" "$host_kernel" "$cpus" "$memory" "$cmdline"
echo "$(bochs_dir)/bochs"
