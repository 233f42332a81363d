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
FILE_BYTES(packed, "packed.js");
FILE_BYTES(choice, "choice.js");
FILE_BYTES(vcpus, "vcpus.js");
FILE_BYTES(colors, "colors.js");
FILE_BYTES(owners, "owners.js");
FILE_BYTES(entries, "entries.js");
FILE_BYTES(chains, "chains.js");
FILE_BYTES(tree, "tree.js");
FILE_BYTES(verdict, "verdict.js");
FILE_BYTES(matrix, "matrix.js");
FILE_BYTES(states, "states.js");
FILE_BYTES(timeline_rows, "timeline_rows.js");
FILE_BYTES(timeline, "timeline.js");
FILE_BYTES(brush, "brush.js");
FILE_BYTES(grid, "grid.js");
FILE_BYTES(flame, "flame.js");
FILE_BYTES(flame_keys, "flame_keys.js");
FILE_BYTES(rows, "rows.js");
FILE_BYTES(table, "table.js");
FILE_BYTES(code, "code.js");
FILE_BYTES(look, "look.js");
FILE_BYTES(main, "main.js");

#define BYTES_OF(name)                                 \
	{                                              \
		html_##name##_begin, html_##name##_end \
	}

const struct html_file html_page = BYTES_OF(page);
const struct html_file html_style = BYTES_OF(style);
const struct html_file html_scripts[] = {
	BYTES_OF(data),		 BYTES_OF(packed),   BYTES_OF(choice),
	BYTES_OF(vcpus),	 BYTES_OF(colors),   BYTES_OF(owners),
	BYTES_OF(entries),	 BYTES_OF(chains),   BYTES_OF(tree),
	BYTES_OF(verdict),	 BYTES_OF(matrix),   BYTES_OF(states),
	BYTES_OF(timeline_rows), BYTES_OF(timeline), BYTES_OF(brush),
	BYTES_OF(grid),		 BYTES_OF(flame),    BYTES_OF(flame_keys),
	BYTES_OF(rows),		 BYTES_OF(table),    BYTES_OF(code),
	BYTES_OF(look),		 BYTES_OF(main),
};
const unsigned int html_nr_scripts = sizeof(html_scripts) /
				     sizeof(html_scripts[0]);
