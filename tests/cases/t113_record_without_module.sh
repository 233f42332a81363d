# SPDX-License-Identifier: GPL-2.0-only
# Without the module: what is missing and how to get it; nothing is created,
# nothing is replaced, and the command is not run.
[ ! -e /dev/vmmprof ] || exit 0
status=0
"$VMMPROF" record -- touch ran 2> err || status=$?
[ $status -eq 1 ]
grep -q '/dev/vmmprof is not there' err
grep -q 'modprobe vmmprof' err
[ ! -e vmmprof.data ] && [ ! -e ran ]
mkdir session
printf 'VMMPROF\n\1\0\1\0\1\0\40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > session/info
"$VMMPROF" record -d 1 -o session --force 2> err && exit 1
[ -s session/info ]
status=0
"$VMMPROF" record -C 8000 -d 1 2> err || status=$?
[ $status -eq 1 ] && grep -q 'no CPU 8000' err
