// SPDX-License-Identifier: GPL-2.0-only
/* Reads the functions that the host listed, and writes them as CODE items. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "code.h"
#include "codefile.h"
#include "codekernel.h"
#include "format/item_writer.h"

struct code {
	struct code_want wants[VMMPROF_CODE_RANGES];
	int nr;
	struct code_file_cache *files;
	struct code_kernel kernel;
	__u8 buf[VMMPROF_CODE_RANGE];
};

int code_list(const char *path, char *list, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		n = -errno;
	else if (!S_ISREG(st.st_mode))
		n = -EINVAL;
	else if ((size_t)st.st_size > size)
		n = -EFBIG;
	else
		n = read(fd, list, size);
	if (n == -1)
		n = -errno;
	close(fd);
	return n;
}

static int put(struct item_writer *w, struct code *c,
	       const struct code_want *want)
{
	struct vmmprof_maps_code item = { .addr = want->addr,
					  .file = want->file };
	int n;

	item.ns = clock_now();
	if (want->file == VMMPROF_NONE)
		n = code_kernel_read(&c->kernel, want, c->buf);
	else
		n = code_files_read(c->files, want, c->buf, &item.flags);
	if (n <= 0)
		return 0;
	return item_put(w, VMMPROF_MAPS_CODE, &item, sizeof(item), c->buf, n);
}

/* Open the bundle for writing at its END item, which is overwritten. */
static int open_bundle(const struct code *c, const char *bundle,
		       struct item_writer *w)
{
	int fd = open(bundle, O_WRONLY | O_CLOEXEC), err = 0;
	__u64 items, end = code_files_end(c->files, &items);

	if (fd < 0 || lseek(fd, end, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		err = item_writer_go_on(w, fd, items);
	if (err && fd >= 0)
		close(fd);
	return err;
}

/* Nothing was added: there was no room for it. */
static void restore_bundle(const struct code *c, const char *bundle)
{
	struct item_writer w;
	__u64 items;

	if (!truncate(bundle, code_files_end(c->files, &items)) &&
	    !open_bundle(c, bundle, &w))
		item_writer_close(&w, true);
}

static int put_all(struct code *c, const char *bundle, const char *output)
{
	struct item_writer w;
	int err, err2, i;

	err = output ? item_writer_open(&w, AT_FDCWD, output,
					VMMPROF_FILE_MAPS) :
		       open_bundle(c, bundle, &w);
	if (err)
		return err;
	for (i = 0; !err && i < c->nr; i++)
		err = put(&w, c, &c->wants[i]);
	err2 = item_writer_close(&w, !err);
	err = err ? err : err2;
	if (err && !output)
		restore_bundle(c, bundle);
	return err;
}

int code_write(const char *list, size_t size, const char *bundle,
	       const char *output)
{
	struct code *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->nr = code_list_parse(list, size, c->wants);
	err = c->nr < 0 ? c->nr : 0;
	if (!err)
		err = code_files_open(bundle, c->wants, c->nr, &c->files);
	if (!err) {
		code_kernel_open(&c->kernel, c->wants, c->nr);
		err = put_all(c, bundle, output);
		code_kernel_close(&c->kernel);
		code_files_close(c->files);
	}
	free(c);
	return err;
}
