# SPDX-License-Identifier: GPL-2.0-only
"""edges.Check.edge() of frames at __restore_rt, above code that a signal interrupted, and in swapcontext()."""
from edges import SIGRETURN, Check, Place

RESTORE, INTERRUPTED, SWAP = 0x1000, 0x2000, 0x3000
# restore, interrupted: nop; nop of four bytes; ret
CODE = {RESTORE: SIGRETURN + b'\x0f\x1f\x80\0\0\0\0', INTERRUPTED: b'\x90\x0f\x1f\x40\x00\xc3', SWAP: b'\xc3'}


def read(addr, size):
    for start, code in CODE.items():
        if start <= addr < start + len(code):
            return code[addr - start:addr - start + size]
    return b''


place = Place(sorted(CODE), {RESTORE: '__restore_rt', INTERRUPTED: 'raises', SWAP: 'swapcontext'}, read)
place.disassemble(CODE)
for upper in (RESTORE, RESTORE + 7, RESTORE + 9, SWAP):
    for below in (INTERRUPTED, INTERRUPTED + 1, INTERRUPTED + 3):
        print(f'{upper:x} {below:x}', Check.edge((place, upper), (place, below), False, False))
