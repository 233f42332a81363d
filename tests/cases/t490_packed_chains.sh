#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sessions of which record packed the chains show what they showed before, those
# with the very bytes that include/FORMAT.md describes, too; a damaged record
# ends its file.
show()
{
	"$VMMPROF" script s -g
	"$VMMPROF" report s -g caller --json
	"$VMMPROF" report s -v
	"$VMMPROF" export s -f folded
}

for name in chains chain-edges; do
	# chains with data have ids, as the module gives them
	awk '$1 == "chain" && !/ id=/ { sub("chain", "chain id=" ++n + 100) } 1' \
		"$TOP/tests/data/$name.txt" > session.txt
	"$TOP"/tests/gen/mksession.py session.txt s
	show > plain 2>&1
	"$TOP"/build/gen/packsession s > sizes
	show > packed 2>&1
	"$VMMPROF" script s -F type,flags,chain > flags
	# the data with this number is nowhere
	if grep 'type=chain flags=[A-Z]*R' flags | grep -v 'chain=77$'; then exit 1; fi
	[ "$(grep -c 'type=chain .* chain=0$' flags)" -gt 5 ]
	cmp plain packed && [ "$(wc -l < plain)" -gt 100 ] && echo "$name: the same"
	awk '{ exit !($2 < $1) }' sizes && echo "$name: smaller"
	rm -r s
done

"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/packed.txt s
show > packed 2>&1
rm -r s
sed '/^ *raw /d; s/#= //' "$TOP"/tests/data/packed.txt > session.txt
"$TOP"/tests/gen/mksession.py session.txt s
show > plain 2>&1
"$TOP"/build/gen/packsession s > sizes
show > again 2>&1
cmp plain packed && cmp plain again && echo 'bytes of the format: the same'
awk '{ exit !($2 < $1) }' sizes
rm -r s

cat > damaged.txt << 'END'
file info
  stop start=0 stop=99
  event index=0 type=0 config=9 period=1 name=e
  end
file cpu-0.rec
  sample tsc=1
  # three words of the user part, of which 9 are those of a base that has none
  raw 0700200000000100 0100000000000000
  raw 00010003090000000000000000000000
  sample tsc=2
END
"$TOP"/tests/gen/mksession.py damaged.txt damaged
"$VMMPROF" report damaged -v 2>&1 > /dev/null | sed 's/at byte [0-9]*/at byte N/'
