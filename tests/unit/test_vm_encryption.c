// SPDX-License-Identifier: GPL-2.0-only
/* analyzer/host/vm_encryption.c: QEMU's objects of encrypted guests. */

#include <stdlib.h>
#include <unistd.h>

#include "host/vm_encryption.h"
#include "test.h"
#include "tree.h"

static char root[] = "/tmp/vmmprof-test-XXXXXX";

#define IS(cmdline, what)                                                  \
	do {                                                               \
		const char *is;                                            \
		tree_put_bytes(root, "proc/7/cmdline", cmdline,            \
			       sizeof(cmdline));                           \
		is = vm_encryption(root, 7);                               \
		TEST_OK((what) ? is && !strcmp(is, (what) ? (what) : "") : \
				 !is);                                     \
	} while (0)

TEST(encrypted_guests_are_known_by_their_objects)
{
	const char *none = NULL;

	TEST_OK(mkdtemp(root));
	TEST_OK(!vm_encryption(root, 7));
	IS("qemu\0-m\0256", none);
	IS("qemu\0-name\0sev-guest\0-object\0iothread,id=sev-guest", none);
	IS("qemu\0-object\0sev-guest,id=sev0,cbitpos=47", "SEV");
	IS("qemu\0-object\0iothread,id=i\0-object\0sev-snp-guest,id=s", "SEV");
	IS("qemu\0-object\0{\"qom-type\":\"tdx-guest\",\"id\":\"t\"}", "TDX");
	return 0;
}
