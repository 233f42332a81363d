#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The JSON of each verb is as its schema says, on all golden sessions; each
# schema is tried, and a wrong file is refused.
export VMMPROF_SYMBOL_CACHE="$PWD/cache"
# is_as SCHEMA VERB OPTIONS...
is_as() {
	schema=$1
	shift
	"$VMMPROF" "$@" > out.json 2> err || [ "$1" = doctor ]
	python3 "$CASES"/schema.py "$TOP/analyzer/view/$schema.schema.json" out.json
	echo "$schema" >> tried
}
for data in two-guests steal unclear small; do
	"$TOP"/tests/gen/mksession.py "$TOP/tests/data/$data.txt" $data
	is_as report report -i $data --json
	is_as report report -i $data --json --classify=paper
	is_as report report -i $data --json --sort pid,process,cpu,exit-reason,mode,vcpu
	is_as diff diff $data $data --json
	is_as export export -i $data -f json
	is_as guests guests -i $data --json
done
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/chains.txt chains
is_as report report -i chains --json -g caller
is_as report report -i chains --json -g callee --children
grep -q '"function": "\[exit: EPT_VIOLATION\]"' out.json
"$TOP"/tests/gen/mksession.py "$TOP"/tests/data/off_cpu.txt off_cpu
is_as report report -i off_cpu --json -g caller
grep -q '"broken_ns": {' out.json
is_as timeline timeline -i steal --json
grep -q '"state": "preempted"' out.json
is_as report report -i steal --json --time 0.1,0.2
is_as steal steal -i steal --json --time 0.1,0.2
is_as steal_both steal -i steal --json --method both --time 0.1,0.2
is_as export export -i steal -f json --time 0.1,0.2
is_as diff diff steal --json --time ,0.3 --time 0.3,
is_as annotate annotate -i small --json work --time 0%-100%
sed '/^  stop /d; s/ tsc_khz=1000000//' "$TOP"/tests/data/steal.txt > d
"$TOP"/tests/gen/mksession.py d died
is_as timeline timeline -i died --json
is_as report report -i died --json
is_as annotate annotate -i small --json work
grep -q '"address": "0x' out.json
is_as annotate annotate -i two-guests --guest alpha --json quantum_toffoli
is_as guests guests --json
is_as guests_cache guests --cache --json
is_as doctor doctor --json
sort -u tried > have
for schema in "$TOP"/analyzer/view/*.schema.json; do
	schema=$(basename "$schema" .schema.json)
	# those of steal, exits, script and selftest are tried where these verbs are,
	# that of top in tests/unit/test_live_panels.c
	case $schema in steal* | exits* | script* | top* | selftest) continue ;; esac
	grep -qx "$schema" have || { echo "$schema is not tried"; exit 1; }
done
refuse() {
	echo "$1" > wrong.json
	! python3 "$CASES"/schema.py "$TOP"/analyzer/view/doctor.schema.json \
		wrong.json > err 2>&1 || exit 1
	grep -q "$2" err
}
refuse '{"schema":1,"kind":"vmmprof-doctor","verdict":"ok"}' 'no findings'
refuse '{"schema":1,"kind":"vmmprof","verdict":"ok","findings":[]}' 'vmmprof-doctor'
refuse '{"schema":true,"kind":"vmmprof-doctor","verdict":"ok","findings":[{}]}' 'no verdict'
refuse '{"schema":1,"kind":"vmmprof-doctor","verdict":"no","findings":[]}' 'none of'
refuse '{"schema":1,"kind":"vmmprof-doctor","verdict":"ok","findings":{}}' 'is no'
refuse '{"schema":1,"kind":"vmmprof-doctor","verdict":"ok","findings":[],"a_ms":1}' '_ns'
refuse '{"schema":1,"schema":1}' 'twice'
