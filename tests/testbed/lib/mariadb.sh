# SPDX-License-Identifier: GPL-2.0-only
# Debian's MariaDB for a guest (sourced after common.sh and chroot.sh): server,
# load generator and the libraries that they need, as a tar in the cache.

mariadb_tar() { echo "$cache/mariadb-$(key "$bed/lib/mariadb.sh").tar"; }

mariadb_build()
{
	local tar system
	tar=$(mariadb_tar)
	[ ! -e "$tar" ] || return 0
	chroot_make bookworm-mariadb mariadb-server-core mariadb-client
	system=$(chroot_dir bookworm-mariadb)
	# shellcheck disable=SC2016
	chroot_run bookworm-mariadb -- sh -euc '
		cp /usr/bin/mariadb-slap /usr/sbin/
		ldd /usr/sbin/mariadbd /usr/sbin/mariadb-slap |
			sed -nE "s/^[^/]*(\/[^ ]+) .*/\1/p" | sort -u > /files
		echo /usr/share/mysql/english/errmsg.sys >> /files
		echo /usr/share/mysql/charsets >> /files
		printf "%s\n" /usr/sbin/mariadbd /usr/sbin/mariadb-slap >> /files
		tar -chf /mariadb.tar -T /files 2> /dev/null'
	mv "$system/mariadb.tar" "$tar"
}
