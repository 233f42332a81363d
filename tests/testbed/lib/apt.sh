# SPDX-License-Identifier: GPL-2.0-only
# Packages of any Debian release without touching the machine (sourced after
# common.sh): an apt configuration of its own in the cache.  The mirrors and
# their keyring are those of the machine's own apt sources.

# The machine's Debian entries, one a line: "URI KEYRING SUITES...".
apt_entries()
{
	local f
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -e "$f" ] && awk '
		function flush() {
			if (uri != "")
				print uri, (key == "" ? "-" : key), suites
			uri = key = suites = ""
		}
		/^#/ { next }
		/^[ \t]*$/ { flush(); next }
		tolower($1) == "uris:" { uri = $2 }
		tolower($1) == "suites:" { $1 = ""; suites = $0 }
		tolower($1) == "signed-by:" { key = $2 }
		END { flush() }' "$f"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -e "$f" ] && sed -nE \
			-e 's/^deb +\[[^]]*signed-by=([^] ]+)[^]]*\] +([^ ]+) +([^ ]+).*/\2 \1 \3/p' \
			-e 's/^deb +(\[[^]]*\] +)?([^ ]+) +([^ ]+).*/\2 - \3/p' "$f"
	done
	true
}

# apt_mirror main|security: "URI KEYRING" of the machine's Debian mirror
apt_mirror()
{
	local code entry
	code=$(. /etc/os-release && echo "$VERSION_CODENAME")
	[ "$1" = security ] && code=$code-security
	entry=$(apt_entries | awk -v s="$code" '
		{ for (i = 3; i <= NF; i++) if ($i == s) { print $1, $2; exit } }')
	[ -n "$entry" ] ||
		die "no Debian $1 mirror (suite $code) in /etc/apt/sources*"
	echo "$entry"
}

# apt_source SUITE [deb|deb-src]: a line of sources.list
apt_source()
{
	local kind=main uri keyring
	case $1 in *-security) kind=security ;; esac
	read -r uri keyring < <(apt_mirror $kind)
	[ "$keyring" != - ] ||
		keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "${2:-deb} [signed-by=$keyring] $uri $1 main"
}

# apt_private DIR LINE...: refresh the package lists of a private apt whose
# sources.list is LINE...; apt_run DIR uses it afterwards.
apt_private()
{
	local dir=$1
	shift
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/parts"
	printf '%s\n' "$@" > "$dir/sources.list"
	: > "$dir/status"
	apt_run "$dir" apt-get -qq update >&2
}

# apt_run DIR apt-get|apt-cache ARGS...
apt_run()
{
	local dir=$1 tool=$2
	shift 2
	"$tool" -o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts="$dir/parts" \
		-o Dir::State::Lists="$dir/lists" \
		-o Dir::State::Status="$dir/status" \
		-o Dir::Cache="$dir" -o Dir::Cache::Archives="$dir/archives" \
		-o Acquire::Check-Valid-Until=false \
		-o Acquire::Retries=3 -o APT::Architecture=amd64 \
		-o APT::Architectures::=amd64 -o APT::Sandbox::User=root \
		-o APT::Update::Post-Invoke::= -o APT::Install-Recommends=false \
		"$@"
}

# apt_depends DIR PACKAGE VERSION: names of the linux-* packages it depends on
apt_depends()
{
	apt_run "$1" apt-cache show "$2=$3" |
		sed -n '/^Depends:/{s///;p;q}' | tr ',|' '\n\n' |
		sed -nE 's/^ *(linux-[^ ]+).*/\1/p'
}
