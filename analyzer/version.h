/* SPDX-License-Identifier: GPL-2.0-only */
/* The version of the user-space programs: that of the module. */
#include <vmmprof/version.h>
