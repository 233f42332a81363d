# SPDX-License-Identifier: GPL-2.0-only
# Small Debian systems of other releases in the cache, made with debootstrap
# (sourced after common.sh).  They hold compilers for newer kernels.

[ "$(type -t apt_source || true)" = function ] || . "$bed/lib/apt.sh"

# A system's NAME is its suite, or SUITE-PURPOSE.

# chroot_dir NAME
chroot_dir() { echo "$cache/chroot-$1"; }

# debootstrap SUITE into DIR with PACKAGES (comma separated)
chroot_bootstrap()
{
	local suite=$1 dir=$2 packages=$3 uri keyring
	need debootstrap
	[ "$(id -u)" = 0 ] || die "debootstrap needs root"
	read -r uri keyring < <(apt_mirror main)
	[ "$keyring" != - ] ||
		keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	rm -rf "$dir"
	mkdir -p "$dir"
	debootstrap --variant=minbase --keyring="$keyring" \
		--include="$packages" "$suite" "$dir" "$uri" \
		> "$dir.log" 2>&1 ||
		{ tail -n 5 "$dir.log" >&2; die "debootstrap of $suite failed"; }
	rm -rf "$dir"/var/cache/apt/archives/*.deb "$dir"/var/lib/apt/lists/*
}

chroot_make_locked()
{
	local suite=${1%%-*} dir
	dir=$(chroot_dir "$1")
	shift
	[ "$(cat "$dir.packages" 2>/dev/null)" != "$*" ] || return 0
	say "making a $suite system with $* (once)"
	chroot_bootstrap "$suite" "$dir" "$(echo "$*" | tr ' ' ',')"
	echo "$*" > "$dir.packages"
}

# chroot_make NAME PACKAGE...: make sure it is there
chroot_make()
{
	[ "$(cat "$(chroot_dir "$1").packages" 2>/dev/null)" = "${*:2}" ] ||
		locked "chroot-$1" chroot_make_locked "$@"
}

# The compiler of the kernels 6.12 and 7, and what else their modules need
chroot_make_compiler() { chroot_make trixie gcc-14 make sparse pahole; }

# QEMU as of trixie, for what bookworm's does not emulate
chroot_make_qemu() { chroot_make trixie-qemu qemu-system-x86; }

# chroot_make_package SUITE: SUITE-package, where our packages are tried.  Where one
# is installed there is a kernel to build the module for.
chroot_make_package() { chroot_make "$1-package" ca-certificates dkms linux-headers-amd64; }

# chroot_run NAME DIR... -- COMMAND...: run COMMAND in that system, with each DIR
# of the machine visible at its own path.
chroot_run()
{
	local root
	root=$(chroot_dir "$1")
	shift
	chroot_run_in "$root" "" "$@"
}

# chroot_try NAME CHANGES DIR... -- COMMAND...: the same, but what COMMAND changes
# goes to the folder CHANGES, where the next one finds it; the system stays.
chroot_try()
{
	local root changes=$2
	root=$(chroot_dir "$1")
	shift 2
	mkdir -p "$changes/upper" "$changes/work" "$changes/root"
	chroot_run_in "$changes/root" \
		"lowerdir=$root,upperdir=$changes/upper,workdir=$changes/work" "$@"
}

# chroot_run_in ROOT OVERLAY DIR... -- COMMAND...
chroot_run_in()
{
	unshare --mount --propagation private sh -eu -c '
		root=$1
		[ -z "$2" ] || mount -t overlay -o "$2" overlay "$root"
		shift 2
		while [ "$1" != -- ]; do
			mkdir -p "$root$1"
			mount --bind "$1" "$root$1"
			shift
		done
		shift
		mount --bind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		exec chroot "$root" "$@"' sh "$@"
}
