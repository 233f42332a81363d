# SPDX-License-Identifier: GPL-2.0-only
# Initial RAM disks, put together from busybox, a kernel's modules and files
# (sourced after common.sh).  Uncompressed: unpacking would be emulated.

# modules_into DIR KERNELDIR NAME...: copy those modules and what they need,
# unpacked and without debug data, and append their file names to DIR/order.
modules_into()
{
	local dir=$1 kernel=$2 name verb file base
	shift 2
	mkdir -p "$dir"
	touch "$dir/order"
	for name; do
		PATH=$PATH:/usr/sbin:/sbin modprobe -d "$kernel" \
			-S "$(cat "$kernel/release")" --show-depends "$name" ||
			die "no module $name in $kernel"
	done | while read -r verb file _; do
		[ "$verb" = insmod ] || continue
		base=$(basename "$file")
		base=${base%.xz}
		base=${base%.zst}
		grep -qx "$base" "$dir/order" && continue
		case $file in
		*.xz) xz -dc "$file" > "$dir/$base" ;;
		*.zst) zstd -qdc "$file" > "$dir/$base" ;;
		*) cp "$file" "$dir/$base" ;;
		esac
		strip --strip-debug "$dir/$base"
		echo "$base" >> "$dir/order"
	done
}

# busybox_into DIR: busybox and the directories every initramfs has
busybox_into()
{
	need busybox
	mkdir -p "$1"/{bin,proc,sys,dev,tmp,mod,root,run}
	cp "$(command -v busybox)" "$1/bin/busybox"
}

# initramfs DIR FILE: pack it
initramfs()
{
	need cpio
	(cd "$1" && find . | LC_ALL=C sort |
		cpio -o -H newc -R 0:0 --quiet) > "$2"
}

# needed_into DIR FILE: the shared libraries that it needs
needed_into()
{
	local dir=$1 lib
	{ ldd "$2" 2>/dev/null || true; } |
		sed -nE 's/^[^/]*(\/[^ ]+) .*/\1/p' | while read -r lib; do
		mkdir -p "$dir$(dirname "$lib")"
		cp -Ln "$lib" "$dir$lib"
	done
}

# programs_into DIR PROGRAM...: into DIR/bin, with the shared libraries they need
programs_into()
{
	local dir=$1 program
	shift
	for program; do
		program=$(command -v "$program")
		cp "$program" "$dir/bin/"
		needed_into "$dir" "$program"
	done
}

# library_into DIR NAME: one that is loaded when it is used, with those it needs
library_into()
{
	local dir=$1 lib
	lib=$(realpath -s "$(${CC:-gcc} "-print-file-name=$2")")
	[ -e "$lib" ] || die "there is no $2: run scripts/setup"
	mkdir -p "$dir$(dirname "$lib")"
	cp -Ln "$lib" "$dir$lib"
	needed_into "$dir" "$lib"
}
