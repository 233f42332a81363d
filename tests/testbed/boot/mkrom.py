#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mkrom.py VMLINUX INITRD OUTDIR CMDLINE: files that let Bochs start a Linux kernel directly.
mkrom.py --elf VMLINUX FILE: only unpack the ELF kernel, for guests that are to start without decompression.

Writes OUTDIR/kernel.bin (to be loaded at 0x1000000), OUTDIR/boot.rom (option ROM at 0xd0000) and prints the
bochsrc lines.  VMLINUX: an ELF kernel with CONFIG_PVH, or a bzImage holding one compressed with xz, zstd or gzip.
INITRD: a cpio archive (best uncompressed)."""
import lzma
import os
import struct
import subprocess
import sys
import zlib

ROM, INITRD_AT = 0xd0000, 0x8000000

def elf_of(data):
    """The ELF kernel in a bzImage (header fields: setup_sects, payload_offset, payload_length)."""
    if data[:4] == b'\x7fELF':
        return data
    offset, length = struct.unpack_from('<II', data, 0x248)
    start = (data[0x1f1] + 1) * 512 + offset
    packed = data[start:start + length]
    if packed[:4] == b'\x28\xb5\x2f\xfd':     # zstd; the last four bytes are the size unpacked
        return subprocess.run(['zstd', '-qdc'], input=packed[:-4], stdout=subprocess.PIPE, check=True).stdout
    if packed[:2] == b'\x1f\x8b':              # gzip
        return zlib.decompressobj(31).decompress(packed)
    return lzma.LZMADecompressor().decompress(packed)

def flatten(elf):
    """Loadable segments as one image, its physical base, and the PVH entry point."""
    off, = struct.unpack_from('<Q', elf, 32)
    count, = struct.unpack_from('<H', elf, 56)
    heads = [struct.unpack_from('<IIQQQQQQ', elf, off + 56 * k) for k in range(count)]
    loads = [h for h in heads if h[0] == 1]
    base = min(h[4] for h in loads)
    image = bytearray(max(h[4] + h[6] for h in loads) - base)
    for h in loads:
        image[h[4] - base:h[4] - base + h[5]] = elf[h[2]:h[2] + h[5]]
    for h in (h for h in heads if h[0] == 4):
        at, end = h[2], h[2] + h[5]
        while at < end:
            nlen, dlen, kind = struct.unpack_from('<III', elf, at)
            name, desc = at + 12, at + 12 + (nlen + 3 & ~3)
            if elf[name:name + 4] == b'Xen\0' and kind == 18:
                return image, base, struct.unpack_from('<I', elf, desc)[0]
            at = desc + (dlen + 3 & ~3)
    sys.exit('no PVH entry point')

def main():
    if sys.argv[1] == '--elf':
        open(sys.argv[3], 'wb').write(elf_of(open(sys.argv[2], 'rb').read()))
        return
    kernel, initrd, out, cmdline = sys.argv[1:]
    image, base, entry = flatten(elf_of(open(kernel, 'rb').read()))
    if base + len(image) > INITRD_AT:
        sys.exit('kernel too large')
    os.makedirs(out, exist_ok=True)
    open(f'{out}/kernel.bin', 'wb').write(image)
    open(f'{out}/cmdline.bin', 'wb').write(cmdline.encode() + b'\0')
    here = os.path.dirname(os.path.abspath(__file__))
    run = lambda *a: subprocess.run(a, check=True, cwd=out)
    run('gcc', '-m32', '-c', f'{here}/stub.S', '-o', 'stub.o', '-I.', f'-Wa,--defsym,ROM={ROM}', f'-Wa,--defsym,ENTRY={entry}',
        f'-Wa,--defsym,INITRD={INITRD_AT}', f'-Wa,--defsym,INITRD_SIZE={os.path.getsize(initrd)}')
    run('ld', '-m', 'elf_i386', '-Ttext=0', '--oformat=binary', '-o', 'boot.rom', 'stub.o')
    rom = bytearray(open(f'{out}/boot.rom', 'rb').read())
    rom += bytes(-len(rom) % 2048)
    rom[2] = len(rom) // 512
    rom[-1] = -sum(rom[:-1]) & 0xff
    open(f'{out}/boot.rom', 'wb').write(rom)
    print(f'optromimage1: file={out}/boot.rom, address={ROM:#x}')
    print(f'load: file={out}/kernel.bin, address={base:#x}')
    print(f'load: file={os.path.abspath(initrd)}, address={INITRD_AT:#x}')

main()
