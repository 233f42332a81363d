#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The man pages name the fields of script and the causes of the account that
# there are (options: t101).
"$VMMPROF" script --fields nothing 2>&1 | sed -n 's/.* wants \(.*\), not .*/\1/p' |
	sed 's/, \| or /\n/g' | grep . | sort > help
sed -n '/^## Fields/,/^Flags/s/^| \([a-z0-9_, ]*\) | .*/\1/p' \
	"$TOP/analyzer/man/vmmprof-script.md" | tr -d ' ' | tr ',' '\n' |
	grep -v '^key$' | sort > man
diff help man
grep -oE '\{ "[a-z0-9-]+"' "$TOP/analyzer/model/profile.c" | tr -d '{ "' |
	grep -v resolved | sort > code
sed -n '/^## The account/,/^## Names/s/^| \([a-z0-9-]*\) | .*/\1/p' \
	"$TOP/analyzer/man/vmmprof-report.md" | grep -vE '^(key|-*)$' | sort > man
diff code man
