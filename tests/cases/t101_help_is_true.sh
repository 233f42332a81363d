# SPDX-License-Identifier: GPL-2.0-only
# Help and man page of a verb name the same long options, and all are taken.
for verb in annotate diff doctor export record guests report script steal timeline top; do
	"$VMMPROF" $verb --help | grep -E '^ +-' | grep -oE -- ' --[a-z][a-z-]*' |
		tr -d ' ' | sort -u > help
	grep -E '^\*\*-' "$TOP/analyzer/man/vmmprof-$verb.md" |
		grep -oE -- '--[a-z][a-z-]*' | sort -u > man
	diff help man
	while read -r option; do
		"$VMMPROF" $verb "$option=" > out 2>&1 || :
		! grep -q 'unrecognized option' out
	done < help
done
