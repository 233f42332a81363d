# SPDX-License-Identifier: GPL-2.0-only
# What deb and rpm share (sourced, in the top folder): the version, the source
# tree that a package is built from, and the changes in the package's own form.

version=$(sed -n 's/^#define VMMPROF_VERSION "\(.*\)"/\1/p' include/vmmprof/version.h)
build=${BUILD:-build}
maintainer=${MAINTAINER:-The vmmprof developers <vmmprof@localhost>}

die()
{
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# need PROGRAM PACKAGE: stop early if it is not installed
need()
{
	command -v "$1" > /dev/null || die "$1 is missing: scripts/setup package"
}

# The day of this version, from CHANGELOG.md: two builds give the same bytes.
day=$(sed -n "s/^## $version (\(.*\))\$/\1/p" CHANGELOG.md)
[ -n "$day" ] || die "CHANGELOG.md has no heading '## $version (YYYY-MM-DD)'"
SOURCE_DATE_EPOCH=$(date -u -d "$day" +%s)
export SOURCE_DATE_EPOCH

# copy_source DIR: the files of this tree, without what was built
copy_source()
{
	rm -rf "$1"
	mkdir -p "$1"
	if [ -e .git ] && command -v git > /dev/null; then
		git ls-files -z --cached --others --exclude-standard
	else
		find . \( -path ./build -o -path "./$build" \) -prune -o -type f -print0
	fi | tar -c --null -T - --ignore-failed-read 2> /dev/null | tar -x -C "$1"
}

# changes FORMAT-OF-HEAD SIGN FOOT: CHANGELOG.md with each heading replaced by
# HEAD and followed by FOOT, both shell functions of VERSION and DAY.
changes()
{
	head=$1 foot=$2 last=
	while IFS= read -r line; do
		case $line in
		"## "*)
			[ -z "$last" ] || { "$foot" $last; echo; }
			last=$(echo "$line" | sed 's/^## \(.*\) (\(.*\))$/\1 \2/')
			"$head" $last
			;;
		"- "* | "  "*) [ -z "$last" ] || echo "$line" ;;
		esac
	done < CHANGELOG.md
	"$foot" $last
}
