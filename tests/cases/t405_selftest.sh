# SPDX-License-Identifier: GPL-2.0-only
# No self-test without the module: status 2, why, what to do, and the same in the
# file.  An old file's content is gone.
[ ! -e /dev/vmmprof ] || exit 0
echo old > report
status=0
"$VMMPROF" selftest --seconds 1 -o report > out 2> err || status=$?
[ $status -eq 2 ]
[ ! -s out ]
grep -q 'could not be run: ' err
grep -qE 'Load it|Run it as root|KVM' err
grep -q 'could not be run: ' report
! grep -q old report || exit 1
# For programs, too.
status=0
"$VMMPROF" selftest --seconds 1 --json > out.json 2> json.err || status=$?
[ $status -eq 2 ]
cmp err json.err
python3 "$CASES"/schema.py "$TOP"/analyzer/view/selftest.schema.json out.json
python3 - << 'END'
import json
d = json.load(open('out.json'))
err = open('err').read().splitlines()
assert (d['verdict'], d['checks'], d['ok']) == ('not-run', [], 0), d
assert d['error']['text'] in err[0] and d['error']['remedy'] == err[1:], (d, err)
END
status=0
"$VMMPROF" selftest -C 99999999 2> err || status=$?
[ $status -eq 2 ]
grep -q 'cpu wants' err
status=0
"$VMMPROF" selftest --seconds 0.1 2> err || status=$?
[ $status -eq 2 ]
grep -q 'seconds' err
