# SPDX-License-Identifier: GPL-2.0-only
"""A guest under QEMU's TCG, and what its monitor shows: for tests/guest/run and
tests/introspect/run."""

import json
import os
import re
import socket
import subprocess
import time

import checks

FLAVOURS = {
    "pti": ("EPYC", "pti=on"),
    "nopti": ("EPYC", "pti=off"),
    "la57": ("max,+la57", "pti=on"),
}


class Machine:
    """QEMU, and its monitor."""

    def __init__(self, out, kernel, flavour, more, memory=None):
        """@memory: a file that becomes the guest's memory."""
        cpu, pti = FLAVOURS[flavour]
        self.share = os.path.join(out, "share")
        qmp = os.path.join(out, "qmp")
        os.makedirs(self.share)
        # One thread: see tests/testbed/tcg.
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", cpu,
             "-smp", "2", "-m", "768", "-nodefaults",
             "-no-user-config", "-display", "none", "-no-reboot",
             "-serial", "file:" + os.path.join(out, "console"),
             "-qmp", "unix:%s,server=on,wait=off" % qmp,
             "-virtfs", "local,path=%s,mount_tag=share,security_model=none"
             % self.share,
             "-kernel", os.path.join(kernel, "vmlinuz"),
             "-initrd", os.path.join(out, "initramfs"),
             "-append", "console=ttyS0,115200 quiet panic=-1 tsc=reliable "
             # a busy host lets an emulated timer look broken
             "no_timer_check cryptomgr.notests oops=panic " + pti + more] +
            (["-M", "q35"] if not memory else
             ["-object", "memory-backend-file,id=memory,size=768M,share=on,"
              "mem-path=" + memory, "-M", "q35,memory-backend=memory"]),
            stdin=subprocess.DEVNULL,
            stdout=open(os.path.join(out, "qemu.log"), "w"),
            stderr=subprocess.STDOUT)
        self.sock = socket.socket(socket.AF_UNIX)
        end = time.time() + 120
        while True:
            try:
                self.sock.connect(qmp)
                break
            except OSError:
                if self.process.poll() is not None or time.time() > end:
                    raise
                time.sleep(0.1)
        self.file = self.sock.makefile("rw")
        self.file.readline()
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        json.dump({"execute": name, "arguments": arguments}, self.file)
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "return" in answer or "error" in answer:
                return answer.get("return")

    def sample(self):
        """A list of (cpl, cr3, r14, r15, rip, rsp), one a CPU, of one moment.

        At CPL 0, r14 and r15 are those of user mode: still, at the entry, else
        from the kernel stack.
        """
        self.command("stop")
        text = self.monitor("info registers -a")
        number = lambda name: [int(x, 16) for x in
                               re.findall(r"\b%s *=([0-9a-f]+)" % name, text)]
        moment = [list(x) for x in
                  zip([int(x) for x in re.findall(r"CPL=(\d)", text)],
                      number("CR3"), number("R14"), number("R15"),
                      number("RIP"), number("RSP"))]
        for i, cpu in enumerate(moment):
            if cpu[0] == 0 and cpu[3] >> 32 != checks.MARK:
                cpu[2:4] = self.entered_with(i, cpu[5])
        self.command("cont")
        return moment

    def monitor(self, line, **more):
        return self.command("human-monitor-command",
                            **{"command-line": line}, **more)

    def entered_with(self, cpu, rsp):
        """(r14, r15) of struct pt_regs at the top of a stack of 16 KiB, which
        leaves 16 bytes free where the kernel knows FRED."""
        if rsp < 1 << 63 or checks.on_entry(rsp):
            return 0, 0
        text = self.monitor("x /4gx %#x" % ((rsp | 0x3fff) + 1 - 16 - 168),
                            **{"cpu-index": cpu})
        words = [int(x, 16) for x in re.findall(r" 0x([0-9a-f]{16})", text)]
        if len(words) != 4:
            return 0, 0
        first = 0 if words[0] >> 32 == checks.MARK else 2
        return words[first + 1], words[first]

    def asked(self, limit):
        """What the guest asks for next; None if it takes too long."""
        path = os.path.join(self.share, "ask")
        while time.time() < limit:
            try:
                with open(path) as f:
                    what = f.read().strip()
                if what:
                    os.unlink(path)
                    return what
            except OSError:
                pass
            if self.process.poll() is not None and not os.path.exists(path):
                return None
            time.sleep(0.05)
        return None

    def done(self, what):
        open(os.path.join(self.share, "done-" + what), "w").close()

    def shared(self, name):
        return os.path.exists(os.path.join(self.share, name))
