# SPDX-License-Identifier: GPL-2.0-only
# guests: JSON that parses, errors for what is no session, cut sessions read.
"$VMMPROF" guests --json | python3 -c '
import json, sys
assert isinstance(json.load(sys.stdin)["guests"], list)'
status=0
"$VMMPROF" guests -i nowhere 2> err || status=$?
[ $status -eq 1 ] && [ -s err ]
mkdir empty
status=0
"$VMMPROF" guests -i empty 2> err || status=$?
[ $status -eq 1 ] && [ -s err ]
status=0
"$VMMPROF" guests frob 2> err || status=$?
[ $status -eq 1 ] && grep -q 'frob' err
status=0
"$VMMPROF" guests frob more 2> err || status=$?
[ $status -eq 2 ]
mkdir s
python3 - <<'END'
import struct
def item(t, body):
    size = 8 + len(body)
    return struct.pack('<II', t, size) + body + bytes(-size % 8)
def vm(pid, name):
    return item(17, struct.pack('<IIQ', pid, 1, 0) + name + b'\0')
def vcpu(pid, tid, n, comm):
    return item(18, struct.pack('<IIII', pid, tid, n, 0) + comm.ljust(16, b'\0'))
f = open('s/info', 'wb')
f.write(b'VMMPROF\n' + struct.pack('<HHHHIIQ', 1, 2, 2, 32, 0, 0, 0))
f.write(vm(7, b'pid-7') + vcpu(7, 0, 0, b''))
# later items replace
f.write(vm(7, b'web') + vcpu(7, 71, 0, b'CPU 0/KVM') + vcpu(7, 72, 1, b'\033[2J'))
f.write(vm(9, b'w\033]0;x\007b'))
END
"$VMMPROF" guests -i s > out 2> err
grep -qE '^web +7 +0 +71  CPU 0/KVM$' out
grep -qE '^web +7 +1 +72  ' out
[ "$(grep -c pid-7 out)" -eq 0 ]
[ "$(grep -c "$(printf '\033')" out)" -eq 0 ]
grep -qE '^web +no bundle: --guest-bundle' out
# How a session got its bundles; words of a guest are made harmless.
cat > d <<'END'
file info
  vm pid=7 name=web
  vm pid=8 name=db
  vm pid=9 name=dark
  reach pid=7 how=4 begin=500000000 end=250000000 sent=10 received=20
  reach pid=8 how=1
  reach pid=9 how=2 error=-1 text=\x1b[2Jno
  vm pid=10 name=still
  memory pid=10 tsc=1 reads=7 bytes=70 processes=3 mappings=4 files=2 modules=1
  memory pid=10 tsc=2 reads=9 bytes=90 processes=5 mappings=4 files=2 modules=1
  memory pid=10 tsc=3 error=-2 text=torn
  reach pid=10 how=6
  memory pid=9 error=-2 text=\x1b[2Jnone
  end
END
"$TOP"/tests/gen/mksession.py d r
"$VMMPROF" guests -i r > out
grep -qE '^web +vsock, watching after 0.50 s, fetched in 0.25 s, 10 bytes sent, 20 received$' out
grep -qE '^db +file$' out
grep -qE '^dark +no bundle: .*2Jno$' out
[ "$(grep -c "$(printf '\033')" out)" -eq 0 ]
# What was read of guests' memory; of the last time that went well.
grep -A 1 -E '^dark ' out | grep -qE 'its memory was not read: .*2Jnone$'
grep -A 1 -E '^still +memory: nothing in the guest was asked$' out |
	grep -qE 'read 2 times, .* 1 modules, 5 processes, 4 mappings of 2 files; 9 reads, 90 bytes$'
"$VMMPROF" guests -i r --json | python3 -c '
import json, sys
guests = {g["name"]: g for g in json.load(sys.stdin)["guests"]}
assert guests["still"]["memory"]["readings"] == 2
assert guests["dark"]["memory"]["error"]
assert "memory" not in guests["web"]'
"$VMMPROF" guests -i r --json | python3 -c '
import json, sys
g = {x["name"]: x for x in json.load(sys.stdin)["guests"]}
assert g["web"]["bundle"] == {"way": "vsock", "error": "", "begin_ns": 500000000,
                              "end_ns": 250000000, "sent": 10, "received": 20}
assert g["dark"]["bundle"]["error"].endswith("no")'
"$VMMPROF" guests -i s --json 2> err | python3 -c '
import json, sys
g = json.load(sys.stdin)["guests"]
assert [x["name"] for x in g][0] == "web" and len(g) == 2
assert g[0]["vcpus"][0] == {"vcpu": 0, "tid": 71, "thread": "CPU 0/KVM"}
assert g[1]["vcpus"] == []'
