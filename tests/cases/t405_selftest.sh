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
! grep -q old report
status=0
"$VMMPROF" selftest -C 99999999 2> err || status=$?
[ $status -eq 2 ]
grep -q 'cpu wants' err
status=0
"$VMMPROF" selftest --seconds 0.1 2> err || status=$?
[ $status -eq 2 ]
grep -q 'seconds' err
