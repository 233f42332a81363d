/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwind tables of a guest's kernel, in a bundle. */
#ifndef INTROSPECT_BUNDLE_UNWIND_H
#define INTROSPECT_BUNDLE_UNWIND_H

#include "format/bundle.h"
#include "format/item_writer.h"
#include "introspect/modules.h"

/*
 * UNWIND of the kernel and of @m.  What has none, or damaged ones, is left out; of the
 * kernel that is noted.  0, -ENOMEM, or -errno of the writer.
 */
int guest_bundle_unwind(const struct guest_kernel *k,
			const struct guest_modules *m, struct item_writer *w);

/* Those of a bundle of the same kernel and modules.  0 or -errno of the writer. */
int guest_bundle_unwind_copy(const struct bundle *before,
			     struct item_writer *w);

#endif /* INTROSPECT_BUNDLE_UNWIND_H */
