// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of what the recorder takes from the processes that read files:
 * answers of os/file_parser.c (first byte even) and os/jit_reader.c (odd).
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "os/file_parser.h"
#include "os/jit_reader.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* What is written into a session of it can be read. */
static void on_parsed(const __u8 *data, size_t size)
{
	struct file_parsed say;
	const struct vmmprof_symbol *s;
	const char *strings;
	__u32 i, sum = 0;
	char *memory;

	if (size < sizeof(say))
		return;
	memcpy(&say, data, sizeof(say));
	size -= sizeof(say);
	memory = malloc(size + 1);
	if (!memory)
		abort();
	memcpy(memory, data + sizeof(say), size);
	if (file_parser_check(&say, memory, size)) {
		s = (const void *)(memory +
				   say.nr_segments *
					   sizeof(struct vmmprof_segment));
		strings = (const char *)(s + say.nr_symbols);
		if (file_parser_size(&say) > size)
			abort();
		for (i = 0; i < say.nr_symbols; i++)
			sum += strlen(strings + s[i].name);
	}
	if (sum == (__u32)-1)
		abort();
	free(memory);
}

static void on_told(const __u8 *data, size_t size)
{
	static struct jit_told told;
	struct jit_code code;
	size_t at = 0;

	memset(&told, 0xff, sizeof(told));
	memcpy(&told, data, size < sizeof(told) ? size : sizeof(told));
	while (jit_reader_next(&told, size, &at, &code) > 0)
		if (!memchr(code.name, 0, sizeof(code.name)) || !code.name[0] ||
		    !code.size || code.addr + code.size <= code.addr)
			abort();
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	if (size && !(data[0] & 1))
		on_parsed(data + 1, size - 1);
	else if (size)
		on_told(data + 1, size - 1);
	return 0;
}
