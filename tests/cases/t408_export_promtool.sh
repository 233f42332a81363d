#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prometheus' own program reads the metrics and finds nothing to complain of.
command -v promtool > where || {
	echo "skipped: no promtool (Debian has it in the package prometheus, 94 MiB)"
	exit 0
}
for data in owners steal svm; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	"$VMMPROF" export -f prometheus $data > $data.prom
	promtool check metrics < $data.prom
done
sed 's/ name=web/ name=we"b\\x5c\\x0a1/' "$TOP"/tests/data/owners.txt > d
"$TOP"/tests/gen/mksession.py d names
"$VMMPROF" export -f prometheus names > names.prom
grep -q 'vm="we\\"b' names.prom
promtool check metrics < names.prom
# it looks: a metric that does not say what it is
sed '/# HELP/d' names.prom > bad.prom
if promtool check metrics < bad.prom; then exit 1; fi
