// SPDX-License-Identifier: GPL-2.0-only
/* TEXT items: all that a session may have find room. */

#include "test.h"
#include "format/items.h"

/* include/FORMAT.md, "Keys of TEXT" */
static const char *const keys[] = {
	"tool",		"module",  "hostname", "release",     "arch",
	"vendor",	"virtual", "tsc_khz",  "cpus",	      "ring_size",
	"trigger",	"chains",  "identity", "chain_depth", "chain_stack",
	"guest_memory", "command",
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

TEST(texts_have_room_for_all_keys)
{
	struct {
		struct vmmprof_item_hdr hdr;
		char line[32];
	} item[NR_KEYS];
	struct text t = { 0 };
	char value[32];
	size_t i;

	for (i = 0; i < NR_KEYS; i++) {
		snprintf(item[i].line, sizeof(item[i].line), "%s=of %s\n",
			 keys[i], keys[i]);
		item[i].hdr.type = VMMPROF_ITEM_TEXT;
		item[i].hdr.size = sizeof(item[i].hdr) + strlen(item[i].line);
		text_add(&t, &item[i].hdr);
	}
	for (i = 0; i < NR_KEYS; i++) {
		TEST_OK(text_get(&t, keys[i], value, sizeof(value)) > 0);
		TEST_OK(!strncmp(value, "of ", 3));
		TEST_STR(value + 3, keys[i]);
	}
	return 0;
}
