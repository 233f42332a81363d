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
bad '--duration wants seconds above 0' -d ten
bad '--duration wants seconds above 0' -d 0
bad '--duration wants seconds above 0' -d -1
bad '--duration wants seconds above 0' -d nan
bad '--duration wants seconds above 0' -d 1e99
bad '--duration wants seconds above 0' -d 0x10
bad '--duration wants seconds above 0' -d .
bad '--duration wants seconds above 0' -d '+1'
bad '--count wants a whole number' -c 0
bad '--count wants a whole number' -c -5
bad '--count wants a whole number' -c 1k
bad '--count wants a whole number' -c 99999999999999999999
bad '--freq wants a whole number' -F 200000
bad '--freq wants a whole number from 1 to 100000, or max' -F maximal
bad '--freq wants a whole number' -F 0
bad 'behind the colon stand u' -e cycles:p
bad 'a timer cannot tell modes' -e cpu-clock:G
bad '--count has no effect with --freq' -c 5 -F 5
bad '--duration has no effect with COMMAND' -d 5 -- true
bad '--cpu wants CPU numbers' -C 1-
bad '--cpu wants CPU numbers' -C 3-1
bad '--cpu wants CPU numbers' -C ''
bad '--cpu wants CPU numbers' -C 0-99999
bad '--mmap-size wants a size' -m 0
bad '--mmap-size wants a size' -m 8K
bad '--mmap-size wants a size' -m 257M
bad '--mmap-size wants a size' -m 1G
bad 'wants NAME=FILE' --guest-bundle web
bad 'wants NAME=FILE' --guest-bundle =f
bad 'wants NAME=user@host' --ssh web
bad 'wants NAME=user@host' --ssh web=-oProxyCommand=x
bad 'wants agent, libvirt, vsock' --transport smoke
bad 'wants agent, libvirt, vsock' --transport =agent
bad 'wants agent, libvirt, vsock' --transport web=agent,smoke
bad 'same as an event' -e cycles,cpu-cycles
bad 'at most 8 events' -e r1,r2,r3,r4,r5,r6,r7,r8,r9
bad '--call-graph wants fp, dwarf, host or guest' --call-graph=everything
bad 'wants 1 to 32768 bytes of the stack' --call-graph=dwarf,40000
bad 'wants 1 to 32768 bytes of the stack' --call-graph=dwarf,8k
bad 'wants 1 to 32768 bytes of the stack' --call-graph=dwarf,
bad "branch records are not read" --call-graph=lbr
bad '--max-stack wants a whole number from 1 to 127' -g --max-stack=128
bad '--output wants a directory' -o ''
bad 'unrecognized option' --frob
bad 'requires an argument' -o
