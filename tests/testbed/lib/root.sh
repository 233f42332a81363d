# SPDX-License-Identifier: GPL-2.0-only
# The host's root file system: a Debian bookworm with QEMU and perf as an ext4
# image in the cache (sourced after common.sh and chroot.sh).  What changes
# often (our programs, guests, kernels' modules) is not in it: see payload.sh.

root_suite=bookworm
root_packages="qemu-system-x86 linux-perf kmod procps libelf1 libdw1 zlib1g
	libquantum8 libjansson4 libseccomp2 libcurl3-gnutls busybox-static tmux"

root_image() { echo "$cache/root-$(key "$bed/lib/root.sh").img"; }

root_build()
{
	local img tree
	img=$(root_image)
	[ ! -e "$img" ] || return 0
	need mkfs.ext4
	say "making the host's root image (about 2 minutes)"
	tree=${img%.img}.tree
	chroot_bootstrap $root_suite "$tree" "$(echo $root_packages | tr ' ' ',')"
	rm -rf "$tree"/usr/share/{doc,man,locale,info} \
		"$tree"/var/{lib/dpkg/info,cache/apt} \
		"$tree"/usr/lib/ipxe "$tree"/usr/share/{icons,perl}
	mkdir -p "$tree/lab" "$tree/result"
	rm -f "$img.new"
	truncate -s 1200M "$img.new"
	PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -L vmmprof-root -m 0 \
		-E lazy_itable_init=0,nodiscard -O '^has_journal' \
		-d "$tree" "$img.new"
	rm -rf "$tree" "$tree.log"
	mv "$img.new" "$img"
}
