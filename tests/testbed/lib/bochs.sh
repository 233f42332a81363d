# SPDX-License-Identifier: GPL-2.0-only
# Bochs with our instrumentation library, in the cache (sourced after
# common.sh and apt.sh).  No line of Bochs is changed.

bochs_version=3.0+dfsg
bochs_sha256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b

# As one program without position independence: a tenth faster.
bochs_flags="-O3 -flto=2 -fno-pie -fno-stack-protector"

bochs_dir() { echo "$cache/bochs-$(key "$bed/pmu" "$bed/lib/bochs.sh")"; }

# The source package's tarball, from trixie (only the tarball is needed: its
# sha256 is pinned).
bochs_fetch()
{
	local tar=$cache/apt/bochs/bochs_$bochs_version.orig.tar.xz
	if ! [ -e "$tar" ]; then
		say "fetching Bochs' source"
		apt_private "$cache/apt/bochs" "$(apt_source trixie deb-src)"
		(cd "$cache/apt/bochs" && apt_run . apt-get -qq source \
			--tar-only --download-only "bochs=$bochs_version-1" >&2)
	fi
	echo "$bochs_sha256  $tar" | sha256sum -c --quiet >&2 ||
		die "$tar is not the pinned one (removed)$(rm -f "$tar")"
	echo "$tar"
}

bochs_build()
{
	local dir tar tmp
	dir=$(bochs_dir)
	[ ! -x "$dir/bochs" ] || return 0
	need g++ make xz tar
	tar=$(bochs_fetch)
	say "building Bochs (about 2 minutes)"
	tmp=$dir.build
	rm -rf "$tmp"
	mkdir -p "$tmp"
	tar -xf "$tar" -C "$tmp" --strip-components=1
	cp -r "$bed/pmu" "$tmp/instrument/pmu"
	(
		cd "$tmp"
		./configure --with-nogui --disable-docbook --disable-debugger \
			--enable-smp --enable-cpu-level=6 --enable-x86-64 \
			--enable-vmx=2 --enable-svm --enable-avx --enable-evex \
			--enable-pci --enable-repeat-speedups \
			--enable-handlers-chaining --enable-trace-linking \
			--disable-show-ips \
			--enable-instrumentation=instrument/pmu \
			CFLAGS="$bochs_flags" CXXFLAGS="$bochs_flags" \
			LDFLAGS="-no-pie -flto=2" &&
			make "-j$(nproc)" AR=gcc-ar RANLIB=gcc-ranlib
	) > "$dir.log" 2>&1 ||
		{ tail -n 15 "$dir.log" >&2; die "building Bochs failed"; }
	mkdir -p "$dir"
	cp "$tmp/bochs" "$dir/"
	rm -rf "$tmp"
}
