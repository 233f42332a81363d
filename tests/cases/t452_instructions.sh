#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How many instructions a sample takes, by valgrind: the difference of two
# sizes, so that what is done once does not count.  A bound is what was counted
# when it was set, and 5 % more.  A change that needs more of them says why and
# raises it; one that needs less lowers it.
[ "$VMMPROF" = "$TOP"/build/vmmprof ] || exit 0

# instructions SESSION COMMAND...
instructions() {
	session=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=log \
		"$TOP"/build/unconfined/vmmprof "$@" -i "$session" > out 2> err
	# a child too
	awk '/Collected :/ { n += $NF } END { printf "%d\n", n }' log
}

# bound MOST SAMPLES MORE COMMAND...: of sessions of so many and of more samples
bound() {
	most=$1
	samples=$2
	more=$3
	shift 3
	few=$(instructions s"$samples" "$@")
	many=$(instructions s"$more" "$@")
	is=$(((many - few) / (more - samples)))
	echo "$*: $is instructions a sample, at most $most"
	[ $is -le "$most" ] && [ $is -gt 0 ] || failed=1
}

for n in 100000 200000; do
	"$TOP"/build/gen/bigsession -n $n s$n
done

failed=
while read -r most command; do
	[ -z "$QUICK" ] || [ "$command" = report ] || continue
	# shellcheck disable=SC2086 # words
	bound "$most" 100000 200000 $command
done << 'END'
1310 report
1489 steal --method both
1158 timeline
1852 export -f folded
3641 report --html page.html
END

# Where most that there is was met before, as in a long recording.
if [ -z "$QUICK" ]; then
	for n in 250000 500000; do
		"$TOP"/build/gen/bigsession -n $n -p 8 -f 200 s$n
	done
	bound 691 250000 500000 report
fi
[ -z "$failed" ]
