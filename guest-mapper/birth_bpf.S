/* SPDX-License-Identifier: GPL-2.0-only */
/* The compiled birth.bpf.c as data; the Makefile tells where it lies. */
	.section .rodata
	.balign 8
	.globl birth_bpf, birth_bpf_end
birth_bpf:
	.incbin BIRTH_BPF
birth_bpf_end:
	.section .note.GNU-stack, "", @progbits
