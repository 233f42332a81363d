#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""For t274_guest_code.sh."""
import ctypes
import os
import shutil
import subprocess
import sys
import time

top = os.environ["TOP"]
sys.path.insert(0, top + "/tests/guest")
from bundle import Bundle  # noqa: E402

libc = ctypes.CDLL(None)
fan = libc.fanotify_init(4, 0)      # FAN_CLASS_CONTENT
shutil.copy("/bin/sleep", "mapped")
mapped = subprocess.Popen(["./mapped", "60"])
guest = subprocess.Popen([top + "/build/vmmprof-guest", "serve"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
try:
    assert guest.stdout.readline() == b"VMMPROF 2\n"
    guest.stdin.write(b"fetch\n")
    guest.stdin.flush()
    word, size = guest.stdout.readline().split()
    assert word == b"bundle"
    with open("maps", "wb") as f:
        f.write(guest.stdout.read(int(size)))
    bundle = Bundle("maps")
    place = next(m for m in bundle.maps if m.pid == mapped.pid and
                 m.file in bundle.files and
                 bundle.files[m.file].path.startswith("/"))
    where = "/proc/%d/map_files/%x-%x" % (mapped.pid, place.start, place.end)
    if fan < 0 or libc.fanotify_mark(fan, 1, ctypes.c_uint64(0x10000), -100,
                                     where.encode()):      # FAN_OPEN_PERM
        print("skipped: no fanotify")
        sys.exit(0)
    code = b"%d %x 16\n" % (place.file, place.pgoff + 16)
    guest.stdin.write(b"code %d\n%s" % (len(code), code))
    guest.stdin.flush()
    time.sleep(0.5)
    assert guest.poll() is None
    guest.stdin.close()
    guest.wait(20)
finally:
    os.close(fan)
    guest.kill()
    mapped.kill()
