/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the memory of a VM's guest encrypted, as far as its command line says? */
#ifndef HOST_VM_ENCRYPTION_H
#define HOST_VM_ENCRYPTION_H

#include <stdint.h>

/*
 * "SEV" (SEV, SEV-ES, SEV-SNP) or "TDX" of a QEMU that was started with such an
 * object; NULL: it has none.  @root: "" or the prefix of a test's tree.
 */
const char *vm_encryption(const char *root, uint32_t pid);

#endif /* HOST_VM_ENCRYPTION_H */
