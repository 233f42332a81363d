// SPDX-License-Identifier: GPL-2.0-only
/* The files of analyzer/view/html as bytes; the assembler reads them. */

#include "view/html_page.h"

#define FILE_BYTES(name, file)                                                \
	asm(".section .rodata\n"                                              \
	    "html_" #name "_begin: .incbin \"analyzer/view/html/" file "\"\n" \
	    "html_" #name "_end: .byte 0\n"                                   \
	    ".previous\n");                                                   \
	extern const char html_##name##_begin[], html_##name##_end[]

FILE_BYTES(frame, "frame.html");
FILE_BYTES(page, "page.html");
FILE_BYTES(style, "style.css");
FILE_BYTES(numbers, "numbers.js");
FILE_BYTES(data, "data.js");
FILE_BYTES(packed, "packed.js");
FILE_BYTES(choice, "choice.js");
FILE_BYTES(vcpus, "vcpus.js");
FILE_BYTES(colors, "colors.js");
FILE_BYTES(owners, "owners.js");
FILE_BYTES(entries, "entries.js");
FILE_BYTES(chains, "chains.js");
FILE_BYTES(tree_nodes, "tree_nodes.js");
FILE_BYTES(tree, "tree.js");
FILE_BYTES(verdict, "verdict.js");
FILE_BYTES(matrix, "matrix.js");
FILE_BYTES(states, "states.js");
FILE_BYTES(timeline_rows, "timeline_rows.js");
FILE_BYTES(timeline, "timeline.js");
FILE_BYTES(brush, "brush.js");
FILE_BYTES(grid, "grid.js");
FILE_BYTES(words, "words.js");
FILE_BYTES(flame_look, "flame_look.js");
FILE_BYTES(flame, "flame.js");
FILE_BYTES(flame_keys, "flame_keys.js");
FILE_BYTES(rows, "rows.js");
FILE_BYTES(table, "table.js");
FILE_BYTES(code, "code.js");
FILE_BYTES(look, "look.js");
FILE_BYTES(page_keys, "page_keys.js");
FILE_BYTES(main, "main.js");
FILE_BYTES(diff_page, "diff_page.html");
FILE_BYTES(diff_tree, "diff_tree.js");
FILE_BYTES(diff_look, "diff_look.js");
FILE_BYTES(diff_main, "diff_main.js");

#define BYTES_OF(name)                                 \
	{                                              \
		html_##name##_begin, html_##name##_end \
	}

const struct html_file html_frame = BYTES_OF(frame);
const struct html_file html_style = BYTES_OF(style);

static const struct html_file page = BYTES_OF(page);
static const struct html_file scripts[] = {
	BYTES_OF(numbers),	 BYTES_OF(data),       BYTES_OF(packed),
	BYTES_OF(choice),	 BYTES_OF(vcpus),      BYTES_OF(colors),
	BYTES_OF(owners),	 BYTES_OF(entries),    BYTES_OF(words),
	BYTES_OF(chains),	 BYTES_OF(tree_nodes), BYTES_OF(tree),
	BYTES_OF(verdict),	 BYTES_OF(matrix),     BYTES_OF(states),
	BYTES_OF(timeline_rows), BYTES_OF(timeline),   BYTES_OF(brush),
	BYTES_OF(grid),		 BYTES_OF(flame_look), BYTES_OF(flame),
	BYTES_OF(flame_keys),	 BYTES_OF(rows),       BYTES_OF(table),
	BYTES_OF(code),		 BYTES_OF(look),       BYTES_OF(page_keys),
	BYTES_OF(main),
};

static const struct html_file diff_page = BYTES_OF(diff_page);
static const struct html_file diff_scripts[] = {
	BYTES_OF(numbers),    BYTES_OF(packed),	   BYTES_OF(tree_nodes),
	BYTES_OF(diff_tree),  BYTES_OF(choice),	   BYTES_OF(colors),
	BYTES_OF(words),      BYTES_OF(diff_look), BYTES_OF(flame),
	BYTES_OF(flame_keys), BYTES_OF(look),	   BYTES_OF(page_keys),
	BYTES_OF(diff_main),
};

#define NR(list) (sizeof(list) / sizeof((list)[0]))

const struct html_page html_report = { "vmmprof report", &page, scripts,
				       NR(scripts) };
const struct html_page html_diff = { "vmmprof diff", &diff_page, diff_scripts,
				     NR(diff_scripts) };
