/* SPDX-License-Identifier: GPL-2.0-only */
/* Instead of the kernel's own: see fake_kernel.h. */
#include "tests/unit/kernel/fake_kernel.h"
