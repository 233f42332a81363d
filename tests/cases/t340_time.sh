#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --time in every verb: parts of the time sum to the whole, every form means the
# same to every verb, and what cannot be is refused.
for data in steal two-guests; do
	"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/$data.txt $data
done
python3 "$CASES"/t340_time.py steal two-guests

# Two stretches of one session, and of two.
"$VMMPROF" diff steal --time ,0.3 --time 0.3, > one
"$VMMPROF" diff steal steal --time ,0.3 --time 0.3, > two
diff one two
grep -q '^Of it 0.300 s: 0.000 to 0.300$' one
grep -q '^Of it 0.700 s: 0.300 to 1.000$' one
"$VMMPROF" diff steal steal --time 0.1,0.2 > same
[ "$(grep -c '^Of it 0.100 s: 0.100 to 0.200$' same)" -eq 2 ]

# The page and the forms that draw.
"$VMMPROF" report -i steal --html page.html --time 0.25,0.5
[ -s page.html ]
"$VMMPROF" report -i steal --time 0.25,0.5 -v > text
grep -q '^Of it 0.250 s: 0.250 to 0.500$' text
grep -q 'samples of other times' text
grep -q 'The account adds up' text
"$VMMPROF" timeline -i steal --time 0.25,0.5 | grep -q '^From 0.250000 to 0.500000 s'
"$VMMPROF" timeline -i steal --time 0.25,0.5 --svg > s.svg
"$VMMPROF" export -i steal -f perfetto --time 0.25,0.5 > a
"$VMMPROF" timeline -i steal --perfetto --time 0.25,0.5 > b
cmp a b
[ "$(wc -c < a)" -lt "$("$VMMPROF" timeline -i steal --perfetto | wc -c)" ]
for format in folded pprof speedscope firefox csv json; do
	"$VMMPROF" export -i steal -f $format --time 10%/3 > export.$format
	[ -s export.$format ]
done
"$VMMPROF" annotate -i two-guests --guest alpha quantum_toffoli --time ,50% > out 2>&1 || :

# Times of day, in the zone of who asks.
sed 's/^  stop start=.*/&\n  clock tsc=100000000 mono=0 real=1700000000000000000/' \
	"$TOP"/tests/data/steal.txt > clock.txt
"$TOP"/tests/gen/mksession.py clock.txt clock
"$VMMPROF" steal -i clock --time 0.25,0.5 > want
TZ=UTC "$VMMPROF" steal -i clock --time 22:13:20.25,22:13:20.5 > got
diff want got
TZ=EST5 "$VMMPROF" steal -i clock --time 17:13:20.25,17:13:20.5 > got
diff want got
TZ=EST5 "$VMMPROF" steal -i clock --time 22:13:20.25Z,22:13:20.5Z > got
diff want got

refused() {
	want=$1
	words=$2
	shift 2
	status=0
	"$VMMPROF" "$@" > out 2> err || status=$?
	[ $status -eq "$want" ] && grep -q -- "$words" err || { cat err; exit 1; }
}
for verb in report steal timeline script; do
	refused 2 "'5' is no range of time" $verb -i steal --time 5
	refused 2 'ends before it begins' $verb -i steal --time 2,1
	refused 1 'nothing in that time: it lasted 1.000 s' $verb -i steal --time 3,4
	refused 1 'does not know the time of day' $verb -i two-guests --time 10:00,
done
refused 2 'no range of time' export -i steal -f csv --time 1,2,3
refused 2 'no range of time' annotate -i steal f --time x
refused 2 'more than twice' diff steal --time 1, --time 2, --time 3,
refused 2 'two sessions' diff steal --time 1,
refused 1 'the error above is about steal' diff steal --time ,0.5 --time 5,
refused 2 '--from has no effect with --time' timeline -i steal --time 0.1,0.2 --from 0.1
