// SPDX-License-Identifier: GPL-2.0-only
/* Reads files that the opener hands over, and answers with their symbols. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "format/bundle.h"
#include "os/debug_file.h"
#include "sandbox/fd_pass.h"
#include "sym/eh_frame_rows.h"
#include "os/file_parser.h"

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 20);
}

static bool is_in(const struct elffile *elf, const __u8 (*ids)[20], size_t nr)
{
	return nr && bsearch(elf->build_id, ids, nr, sizeof(*ids), compare_ids);
}

/*
 * Which of its tables are not needed?  *elf has the build-id and nothing else if
 * its symbols are not.
 */
static void find_cached(const struct file_parser *p, int fd,
			struct elffile *elf, struct file_parsed *say)
{
	const struct file_have *have = &p->have;

	if (!have->nr_symbols && !have->nr_unwind)
		return;
	if (!elffile_read_build_id(fd, elf) && elf->build_id_size) {
		say->cached = is_in(elf, have->symbols, have->nr_symbols);
		say->unwind_cached = p->unwind &&
				     is_in(elf, have->unwind, have->nr_unwind);
	}
	if (!say->cached)
		elffile_free(elf);
}

/*
 * Asks for the next debug file; 1: an answer came, with *fd or -1; 0: the
 * opener is gone.
 */
static int next_debug(const struct file_parser *p, struct file_want *want,
		      int *fd)
{
	struct file_handed say;
	ssize_t n;

	if (send(p->opener, want, sizeof(*want), MSG_NOSIGNAL) < 0)
		return 0;
	do {
		n = fdpass_receive(p->opener, &say, sizeof(say), 0, fd);
		if (n == sizeof(say) && say.debug && say.seq == want->seq)
			return 1;
		io_close(fd);
	} while (n > 0 || n == -EINTR);
	return 0;
}

/* Takes the symbols of a stripped file from its debug file. */
static void add_debug(const struct file_parser *p, __u32 seq,
		      struct elffile *elf)
{
	struct file_want want = {
		.seq = seq,
		.build_id_size = elf->build_id_size,
	};
	int fd;

	memcpy(want.build_id, elf->build_id, sizeof(want.build_id));
	memcpy(want.debuglink, elf->debuglink, sizeof(want.debuglink));
	if (elf->build_id_size < 2 && !*elf->debuglink)
		return;
	while (elf->stripped && want.which < DEBUGFILE_PLACES &&
	       next_debug(p, &want, &fd)) {
		want.which++;
		if (fd < 0)
			continue;
		elffile_add_debug(elf, fd);
		close(fd);
	}
}

size_t file_parser_size(const struct file_parsed *say)
{
	__u64 size = say->nr_segments * (__u64)sizeof(struct vmmprof_segment) +
		     say->nr_symbols * (__u64)sizeof(struct vmmprof_symbol) +
		     say->strings_size + say->unwind_size;

	/* with its header it has to fit into an item */
	return size > UINT32_MAX - 4096 ? 0 : size;
}

bool file_parser_check(const struct file_parsed *say, const void *memory,
		       size_t size)
{
	size_t want = file_parser_size(say), i;
	const struct vmmprof_segment *segments = memory;
	const struct vmmprof_symbol *symbols;
	const char *strings;

	if (say->err > 0 || say->build_id_size > sizeof(say->build_id))
		return false;
	if ((say->err || say->cached) &&
	    (say->nr_segments || say->nr_symbols || say->strings_size))
		return false;
	if (say->unwind_size &&
	    (say->err || say->unwind_cached ||
	     say->unwind_size < sizeof(struct vmmprof_unwind)))
		return false;
	if (want > size || (!want && (say->nr_segments || say->nr_symbols ||
				      say->unwind_size)))
		return false;
	if (!say->nr_symbols)
		return !say->strings_size;
	symbols = (const void *)(segments + say->nr_segments);
	strings = (const char *)(symbols + say->nr_symbols);
	if (!say->strings_size || strings[say->strings_size - 1])
		return false;
	for (i = 0; i < say->nr_symbols; i++)
		if (!symtab_name_ok(strings, say->strings_size,
				    symbols[i].name))
			return false;
	return true;
}

static size_t tables_size(const struct elffile *elf)
{
	return elf->nr_segments * sizeof(*elf->segments) +
	       elf->nr_symbols * sizeof(*elf->symbols) + elf->strings_size;
}

/* Of what is too large the names are more than the bounds of other functions. */
static void copy_out(const struct file_parser *p, struct elffile *elf,
		     struct file_parsed *say)
{
	size_t segments = elf->nr_segments * sizeof(*elf->segments), symbols;
	char *to = p->memory;

	memcpy(say->build_id, elf->build_id, sizeof(say->build_id));
	say->build_id_size = elf->build_id_size;
	if (say->cached)
		return;
	/* unless a debug file has the same */
	say->cut = elf->cut && elf->stripped;
	if (tables_size(elf) > p->size)
		elffile_drop_bounds(elf);
	symbols = elf->nr_symbols * sizeof(*elf->symbols);
	say->nr_segments = elf->nr_segments;
	say->nr_symbols = elf->nr_symbols;
	say->strings_size = elf->strings_size;
	if (tables_size(elf) > p->size) {
		say->nr_segments = 0;
		say->nr_symbols = 0;
		say->strings_size = 0;
		say->err = -EFBIG;
		return;
	}
	if (segments)
		memcpy(to, elf->segments, segments);
	if (symbols)
		memcpy(to + segments, elf->symbols, symbols);
	if (elf->strings_size)
		memcpy(to + segments + symbols, elf->strings,
		       elf->strings_size);
}

/*
 * How the code of the file is unwound, behind its other tables; a file without
 * it is a file all the same.
 */
static void add_unwind(const struct file_parser *p, int fd,
		       struct file_parsed *say)
{
	size_t before = file_parser_size(say), size;
	struct elf_section s;
	struct unwind_table t;
	struct eh_frame f;
	void *data;
	int err;

	if (elffile_section(fd, ".eh_frame", &s))
		return;
	f = (struct eh_frame){ s.bytes, s.size, s.addr, s.ia32 };
	err = eh_frame_table(&f, &t);
	free(s.bytes);
	say->no_unwind = err == -EFBIG || err == -ENOMEM;
	if (err)
		return;
	err = unwind_table_encode(&t, &data, &size);
	unwind_table_free(&t);
	say->no_unwind = err || size > p->size - before;
	if (!say->no_unwind) {
		memcpy((char *)p->memory + before, data, size);
		say->unwind_size = size;
	}
	if (!err)
		free(data);
}

static void parse(const struct file_parser *p, const struct file_handed *file,
		  int fd, struct file_parsed *say)
{
	struct elffile elf = { 0 };

	memset(say, 0, sizeof(*say));
	say->seq = file->seq;
	/*
	 * the tables that are there already came from a file that only root
	 * can write
	 */
	if (file->trusted)
		find_cached(p, fd, &elf, say);
	if (!say->cached) {
		say->err = elffile_read(fd, &elf);
		if (!say->err)
			add_debug(p, file->seq, &elf);
	}
	if (!say->err)
		copy_out(p, &elf, say);
	if (!say->err && p->unwind && !say->unwind_cached)
		add_unwind(p, fd, say);
	elffile_free(&elf);
}

void file_parser_run(const struct file_parser *p)
{
	struct file_handed file;
	struct file_parsed say;
	ssize_t n;
	int fd;

	for (;;) {
		n = fdpass_receive(p->opener, &file, sizeof(file), 0, &fd);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			return;
		if (fd >= 0 && n == sizeof(file) && !file.debug &&
		    file.seq >= p->first) {
			parse(p, &file, fd, &say);
			if (send(p->recorder, &say, sizeof(say), MSG_NOSIGNAL) <
			    0)
				return;
		}
		io_close(&fd);
	}
}
