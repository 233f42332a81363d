# SPDX-License-Identifier: GPL-2.0-only
# A user of a guest has files mapped that are made to harm: vmmprof-guest keeps
# his symbols within the limits of a user, says what it left out, and has those
# of everybody else.
# once: it is about another program than the two that cases are run with
[ "${VMMPROF%/asan/vmmprof}" = "$VMMPROF" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root"; exit 0; }
chmod 755 .
uid=$((20000 + $$ % 20000))
# 16 MB of symbols each; twice 80 MB; packed too well
for i in 1 2 3 4 5 6 7; do
	"$TOP"/tests/gen/elfbomb.py b$i --count 8000 --length 2000
done
"$TOP"/tests/gen/elfbomb.py large1 --count 40000 --length 2000
"$TOP"/tests/gen/elfbomb.py large2 --count 40000 --length 2000
"$TOP"/tests/gen/elfbomb.py packed --count 100000 --xz
chown $uid b? large? packed
cat > map.py << 'EOT'
import ctypes, os, sys
os.setgroups([])
os.setresuid(*[int(sys.argv[1])] * 3)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
for name in sys.argv[2:]:
    at = libc.mmap(None, ctypes.c_size_t(4096), 5, 2, os.open(name, os.O_RDONLY),
                   ctypes.c_long(4096))
    assert at != ctypes.c_void_p(-1).value, name
print("mapped", flush=True)
os.read(0, 1)
EOT
mkfifo hold
python3 map.py $uid "$PWD"/b? "$PWD"/large? "$PWD"/packed < hold > mapped &
user=$!
exec 9> hold
for _ in $(seq 200); do
	! grep -q mapped mapped || break
	sleep 0.05
done
"$TOP"/build/vmmprof-guest dump --method none -o maps 2> err
exec 9>&-
wait $user
cat err
grep -q "of user $uid have .* 3 files were too large.* [1-5] files exceed what one user may have (kept: [0-9]* MiB)" err
grep -aq 'no symbols of .*/large1: it is too large' maps
grep -aq 'no symbols of .*/packed: they unpack to too much' maps
size=$(stat -c %s maps)
[ "$size" -lt 140000000 ]
# this shell's own
grep -aq 'malloc' maps
