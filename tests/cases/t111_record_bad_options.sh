# SPDX-License-Identifier: GPL-2.0-only
# Each wrong option ends with status 2 and says what is wanted.
bad()
{
	want=$1
	shift
	status=0
	"$VMMPROF" record "$@" > out 2> err || status=$?
	[ $status -eq 2 ] && [ ! -s out ] && grep -q -- "$want" err && return
	echo "record $*: status $status"
	cat err
	exit 1
}
bad '-d wants seconds' -d ten
bad '-d wants seconds' -d 0
bad '-d wants seconds' -d -1
bad '-d wants seconds' -d nan
bad '-d wants seconds' -d 1e99
bad '-c wants a whole number' -c 0
bad '-c wants a whole number' -c -5
bad '-c wants a whole number' -c 1k
bad '-c wants a whole number' -c 99999999999999999999
bad '-F wants a whole number' -F 200000
bad 'exclude each other' -c 5 -F 5
bad 'exclude each other' -d 5 -- true
bad '-C wants CPU numbers' -C 1-
bad '-C wants CPU numbers' -C 3-1
bad '-C wants CPU numbers' -C ''
bad '-C wants CPU numbers' -C 0-99999
bad '-m wants a size' -m 0
bad '-m wants a size' -m 8K
bad '-m wants a size' -m 257M
bad '-m wants a size' -m 1G
bad 'wants NAME=FILE' --guest-bundle web
bad 'wants NAME=FILE' --guest-bundle =f
bad 'wants NAME=user@host' --ssh web
bad 'wants NAME=user@host' --ssh web=-oProxyCommand=x
bad 'wants agent, libvirt, vsock' --transport smoke
bad 'wants agent, libvirt, vsock' --transport =agent
bad 'wants agent, libvirt, vsock' --transport web=agent,smoke
bad 'same as an event' -e cycles,cpu-cycles
bad 'at most 8 events' -e r1,r2,r3,r4,r5,r6,r7,r8,r9
bad '-o wants a directory' -o ''
bad 'unrecognized option' --frob
bad 'requires an argument' -o
