# SPDX-License-Identifier: GPL-2.0-only
# Paths, messages and the cache, for every script of the testbed (sourced).

set -eu -o pipefail
bed=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$bed/../.." && pwd)
cache=${VMMPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vmmprof}

die() { echo "$(basename "$0"): $*" >&2; exit 1; }
say() { echo "$(basename "$0"): $*" >&2; }

# need PROGRAM...: stop early if one is not installed
need()
{
	local p
	for p; do
		command -v "$p" >/dev/null || PATH=$PATH:/usr/sbin:/sbin \
			command -v "$p" >/dev/null ||
			die "$p is missing: run scripts/setup"
	done
}

# key FILE...: a short hash of the files' names and contents
key()
{
	local f
	for f; do
		if [ -d "$f" ]; then
			find "$f" -type f | LC_ALL=C sort
		else
			echo "$f"
		fi
	done | while read -r f; do
		echo "${f#"$top"/} $(sha256sum < "$f")"
	done | sha256sum | cut -c1-12
}

# kconfigs VERSION: the files that say what is in a kernel that is built here.  That
# of its name has no digits: one for el9 and el10.
kconfigs()
{
	local own=${1#*-}
	own=$bed/kconfig/${own//[0-9]/}.config
	echo "$bed/kconfig/base.config"
	[ ! -e "$own" ] || echo "$own"
}

# locked NAME COMMAND...: run COMMAND while holding a lock in the cache
locked()
{
	local name=$1
	shift
	mkdir -p "$cache"
	(
		flock 9
		"$@"
	) 9> "$cache/$name.lock"
}
