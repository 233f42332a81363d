# SPDX-License-Identifier: GPL-2.0-only
# A BIOS option ROM that starts a Linux kernel lying in memory (PVH entry),
# put there by Bochs itself ("optramimage"): no disk, no boot loader, no
# decompression.  Values come from mkrom.py: ROM, ENTRY, INITRD, INITRD_SIZE.
	.code16
	.text
	.globl _start
_start:
	.byte 0x55, 0xaa
	.byte 0				# length in 512-byte blocks, filled in later
	jmp begin

	.set MAP, 0x7000		# memory map: entries of 24 bytes
	.set INFO, 0x6000		# hvm_start_info
begin:
	cli
	cld
	xor %ax, %ax
	mov %ax, %es
	mov %ax, %ss
	mov $0x6000, %sp
	mov %cs, %ax
	mov %ax, %ds
	mov $INFO, %di
	mov $(info - _start), %si
	mov $(info_end - info), %cx
	rep movsb

	xor %ebx, %ebx
	mov $MAP, %edi
1:	mov $0xe820, %eax
	mov $0x534d4150, %edx
	mov $24, %ecx
	movl $0, %es:20(%di)
	int $0x15
	jc 2f
	movl $0, %es:20(%di)
	add $24, %di
	incl %es:(INFO + 48)		# memmap_entries
	test %ebx, %ebx
	jnz 1b
2:
	cli
	in $0x92, %al
	or $2, %al
	and $0xfe, %al
	out %al, $0x92
	lgdtl %cs:(gdt_ptr - _start)
	mov %cr0, %eax
	or $1, %al
	mov %eax, %cr0
	ljmpl $8, $(ROM + flat - _start)

	.code32
flat:	mov $16, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	mov %eax, %fs
	mov %eax, %gs
	mov $INFO, %ebx
	xor %ebp, %ebp
	xor %esi, %esi
	mov $ENTRY, %eax
	jmp *%eax

	.balign 8
gdt:	.quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdt_ptr:
	.word . - gdt - 1
	.long ROM + gdt - _start

	.balign 8
info:	.long 0x336ec578, 1, 0, 1	# magic, version, flags, modules
	.quad ROM + module - _start
	.quad ROM + cmdline - _start
	.quad 0				# rsdp: let the kernel search
	.quad MAP
	.long 0, 0			# memmap_entries
info_end:
	.balign 8
module:	.quad INITRD, INITRD_SIZE, 0, 0
cmdline:
	.incbin "cmdline.bin"
