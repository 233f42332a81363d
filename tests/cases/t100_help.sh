# SPDX-License-Identifier: GPL-2.0-only
# Help goes to stdout with status 0; no verb and unknown verbs are errors.
"$VMMPROF" --help | grep -q '^  record '
"$VMMPROF" record --help | grep -q -- '--guest-bundle'
"$VMMPROF" help guests | grep -q '^usage: vmmprof guests'
"$VMMPROF" --version | grep -q '^vmmprof [0-9]'
status=0
"$VMMPROF" > out 2> err || status=$?
[ $status -eq 2 ] && [ ! -s out ] && grep -q usage err
status=0
"$VMMPROF" recrod > out 2> err || status=$?
[ $status -eq 2 ] && [ ! -s out ]
grep -q "no verb 'recrod': .vmmprof --help" err
# What cannot be written is an error.
for args in --help --version 'record --help' doctor 'doctor --json'; do
	status=0
	"$VMMPROF" $args > /dev/full 2> err || status=$?
	[ $status -eq 1 ] && grep -q 'No space left on device' err
done
