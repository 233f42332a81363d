#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Help and man page of report and script name the same options, keys and
# causes, and all options are taken.
for verb in report script; do
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
"$VMMPROF" script --help | sed '1,/^Fields:/d' | tr ' ' '\n' | grep . | sort > help
sed -n '/^## Fields/,/^Flags/s/^| \([a-z0-9, ]*\) | .*/\1/p' \
	"$TOP/analyzer/man/vmmprof-script.md" | tr -d ' ' | tr ',' '\n' |
	grep -v '^key$' | sort > man
diff help man
grep -oE '\{ "[a-z0-9-]+"' "$TOP/analyzer/model/profile.c" | tr -d '{ "' |
	grep -v resolved | sort > code
sed -n '/^## The account/,/^## Names/s/^| \([a-z0-9-]*\) | .*/\1/p' \
	"$TOP/analyzer/man/vmmprof-report.md" | grep -vE '^(key|-*)$' | sort > man
diff code man
