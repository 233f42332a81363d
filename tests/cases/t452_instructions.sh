#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How many instructions a sample takes, by valgrind: the difference of two
# sizes, so that what is done once does not count.  A bound is what was counted
# when it was set, and 5 % more.  A change that needs more of them says why and
# raises it; one that needs less lowers it.
[ "$VMMPROF" = "$TOP"/build/vmmprof ] || exit 0

# instructions SAMPLES COMMAND...
instructions() {
	n=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=log \
		"$TOP"/build/unconfined/vmmprof "$@" -i s"$n" > out 2> err
	# a child too
	awk '/Collected :/ { n += $NF } END { printf "%d\n", n }' log
}

for n in 100000 200000; do
	"$TOP"/build/gen/bigsession -n $n s$n
done

failed=
while read -r most command; do
	[ -z "$QUICK" ] || [ "$command" = report ] || continue
	# shellcheck disable=SC2086 # words
	few=$(instructions 100000 $command)
	# shellcheck disable=SC2086
	many=$(instructions 200000 $command)
	is=$(((many - few) / 100000))
	echo "$command: $is instructions a sample, at most $most"
	[ $is -le "$most" ] && [ $is -gt 0 ] || failed=1
done << 'END'
1335 report
1489 steal --method both
1245 timeline
1911 export -f folded
4002 report --html page.html
END
[ -z "$failed" ]
