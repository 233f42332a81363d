# SPDX-License-Identifier: GPL-2.0-only
"""Packed CHAIN records (include/FORMAT.md), unpacked by another program than vmmprof."""
import struct

CHAIN, PACKED = 5, 7
WORDS, REGS, STATE = 4, 8, 32
ADDRESS, STACK, RAW = 0, 1, 2
ALL = (1 << 64) - 1


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def leb(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & ALL

    def difference(self, start):
        value = self.leb()
        return (start + (value >> 1 ^ -(value & 1))) & ALL


class Unpacker:
    """Of one file, in its order."""
    def __init__(self):
        self.known = {}  # by id: kernel words, user words, eight members

    def whole(self, rec):
        """The CHAIN record that a packed one was, with its data and without an id."""
        kind, _, flags, tsc = struct.unpack_from('<HHIQ', rec)
        assert kind == PACKED
        ident, flags, ends = flags >> 16, flags & 255, flags >> 8 & 255
        was = self.known.get(ident, ([], [], [0] * 8))
        kernel, user, members = was
        has = (15 if flags & REGS else 0) | (240 if flags & STATE else 0)
        if len(rec) > 16:
            b = Bytes(rec[16:])
            changed, base = b.data[0], 0
            b.at = 1
            base = b.leb()
            assert not changed & ~has, 'members that it has not'
            if base:
                was = self.known.get(base - 1, ([], [], [0] * 8))
                members = [m if has >> i & 1 else 0 for i, m in enumerate(was[2])]
            members = [b.difference(was[2][i]) if changed >> i & 1 else m for i, m in enumerate(members)]
            if base:
                kernel, user = self.words(b, was, flags & WORDS)
            assert len(b.data) - b.at < 16 and not any(b.data[b.at:]), 'padding'
        if ident:
            self.known[ident] = kernel, user, members
        body = b''
        if flags & REGS:
            body += struct.pack('<4Q', *members[:4])
        if flags & STATE:
            body += struct.pack('<4Q', *members[4:])
        body += struct.pack(f'<{len(kernel + user)}Q', *kernel, *user)
        body += bytes(-len(body) % 16)
        return struct.pack('<HHIQIHHBBHI', CHAIN, 32 + len(body), flags, tsc, 0, len(kernel), len(user), ends & 15,
                           ends >> 4, 0, 0) + body

    @staticmethod
    def words(b, base, stack):
        nr_kernel, nr_user, same = b.leb(), b.leb(), b.leb()
        old = base[0] + base[1]
        kernel, user = [], old[len(old) - min(same, nr_user):] if same else []
        if same > nr_user:
            assert nr_user == len(base[1])
            kernel = base[0][len(base[0]) - (same - nr_user):]
            if stack:
                shift = b.difference(0)
                kernel = [w + shift * (1 + (8 << 16 if w & 0x8000 else 0)) & ALL for w in kernel]
        while len(user) < nr_user:
            user.insert(0, b.difference(user[0] if user else 0))
        index = kernel[0] & 0x7fff if kernel and stack else 0x8000
        near = next((w >> 16 | 0xffff << 48 if stack else w for w in kernel if not stack or not w & 0x8000),
                    0xffffffff81000000)
        while len(kernel) < nr_kernel:
            if not stack:
                near = b.difference(near)
                kernel.insert(0, near)
                continue
            what = b.leb()
            if what & 3 == RAW:
                kernel.insert(0, *struct.unpack_from('<Q', b.data, b.at))
                b.at, index = b.at + 8, 0x8000
                continue
            index -= what >> 2
            if what & 3 == STACK:
                kernel.insert(0, b.difference(8 * index) << 16 & ALL | 0x8000 | index)
            else:
                near = b.difference(near)
                kernel.insert(0, near << 16 & ALL | index)
        return kernel, user
