# SPDX-License-Identifier: GPL-2.0-only
# Help and manual of a verb, and of vmmprof-guest, name the same long options,
# and all are taken.
same_options() # MANUAL COMMAND...
{
	manual=$1
	shift
	"$@" --help | grep -E '^ +-' | grep -oE -- ' --[a-z][a-z-]*' |
		tr -d ' ' | sort -u > help
	test -s help
	grep -E '^\*\*-' "$TOP/analyzer/man/$manual.md" |
		grep -oE -- '--[a-z][a-z-]*' | sort -u > man
	diff help man
	while read -r option; do
		"$@" "$option=" > out 2>&1 || :
		! grep -q 'unrecognized option' out || exit 1
	done < help
}

verbs=$("$VMMPROF" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
test -n "$verbs"
for verb in $verbs; do
	same_options vmmprof-$verb "$VMMPROF" $verb
	# with its short form and its argument, as the verb's table has them
	sed -n '/^\*\*-/s/\*//gp' "$TOP/analyzer/man/vmmprof-$verb.md" |
		sed 's/ \[.*//; /^--/s/, --/\n--/g' > man
	"$VMMPROF" $verb --help |
		sed -nE 's/^  (-[a-zA-Z], |    )(--[^ ]+).*/\1\2/p' |
		sed 's/^ *//; s/\[=clear\]/=clear/' > help
	while read -r option; do
		grep -qxF -- "$option" man || { echo "$verb: no $option"; exit 1; }
	done < help
done
# The agent's file takes all but those of the command line.
"$VMMPROF" agent --help | grep -E '^ +-' | grep -oE -- ' --[a-z][a-z-]*' |
	tr -d ' ' | grep -vxE -- '--(conf|help|output)' | sed 's/--//' | sort -u > help
sed -n '/^| line/,/^$/s/|[^|]*|$//p' "$TOP/analyzer/man/vmmprof-agent.conf.5.md" |
	grep -oE '`[a-z-]+( =|`)' | tr -d '`= ' | sort > man
diff help man
same_options vmmprof-guest "$TOP/build/vmmprof-guest"
# so are its verbs
"$TOP/build/vmmprof-guest" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | sort > help
sed -n '/^## Verbs/,/^## /s/^`\([a-z]*\)`$/\1/p' \
	"$TOP/analyzer/man/vmmprof-guest.md" | sort > man
diff help man
