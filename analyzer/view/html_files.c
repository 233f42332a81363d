// SPDX-License-Identifier: GPL-2.0-only
/* The files of analyzer/view/html as bytes; the assembler reads them. */

#include "view/html.h"

#define FILE_BYTES(name, file)                                        \
	asm(".section .rodata\n" #name                                \
	    "_begin: .incbin \"analyzer/view/html/" file "\"\n" #name \
	    "_end: .byte 0\n"                                         \
	    ".previous\n");                                           \
	extern const char name##_begin[], name##_end[]

FILE_BYTES(page, "page.html");
FILE_BYTES(style, "style.css");
FILE_BYTES(data, "data.js");
FILE_BYTES(states, "states.js");
FILE_BYTES(timeline, "timeline.js");
FILE_BYTES(flame, "flame.js");
FILE_BYTES(table, "table.js");
FILE_BYTES(main, "main.js");

#define BYTES_OF(name)                   \
	{                                \
		name##_begin, name##_end \
	}

const struct vmmprof_html_file vmmprof_html_page = BYTES_OF(page);
const struct vmmprof_html_file vmmprof_html_style = BYTES_OF(style);
const struct vmmprof_html_file vmmprof_html_scripts[] = {
	BYTES_OF(data),	 BYTES_OF(states), BYTES_OF(timeline),
	BYTES_OF(flame), BYTES_OF(table),  BYTES_OF(main),
};
const unsigned int vmmprof_html_nr_scripts = sizeof(vmmprof_html_scripts) /
					     sizeof(vmmprof_html_scripts[0]);
