// SPDX-License-Identifier: GPL-2.0-only
/* The files of analyzer/view/html as bytes; the assembler reads them. */

#include "view/html.h"

#define FILE_BYTES(name, file)                                                \
	asm(".section .rodata\n"                                              \
	    "html_" #name "_begin: .incbin \"analyzer/view/html/" file "\"\n" \
	    "html_" #name "_end: .byte 0\n"                                   \
	    ".previous\n");                                                   \
	extern const char html_##name##_begin[], html_##name##_end[]

FILE_BYTES(page, "page.html");
FILE_BYTES(style, "style.css");
FILE_BYTES(data, "data.js");
FILE_BYTES(states, "states.js");
FILE_BYTES(timeline, "timeline.js");
FILE_BYTES(flame, "flame.js");
FILE_BYTES(table, "table.js");
FILE_BYTES(main, "main.js");

#define BYTES_OF(name)                                 \
	{                                              \
		html_##name##_begin, html_##name##_end \
	}

const struct html_file html_page = BYTES_OF(page);
const struct html_file html_style = BYTES_OF(style);
const struct html_file html_scripts[] = {
	BYTES_OF(data),	 BYTES_OF(states), BYTES_OF(timeline),
	BYTES_OF(flame), BYTES_OF(table),  BYTES_OF(main),
};
const unsigned int html_nr_scripts = sizeof(html_scripts) /
				     sizeof(html_scripts[0]);
