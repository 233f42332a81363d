// SPDX-License-Identifier: GPL-2.0-only
/* Reads a file of options. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/agent/conf.h"
#include "view/safe.h"

#define CONF_MAX (64 << 10) /* bytes */

void conf_deinit(struct conf *c)
{
	free(c->text);
	memset(c, 0, sizeof(*c));
}

/* Both ends of a text without spaces. */
static char *trim(char *s)
{
	char *end;

	s += strspn(s, " \t\r");
	end = s + strlen(s);
	while (end > s && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return s;
}

/* An option's name: the file cannot name another file of options. */
static bool is_name(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz-") == strlen(s) &&
	       *s != '-' && strcmp(s, "conf") && strcmp(s, "help");
}

/* One more line as an argument, in the room that was left for it. */
static int add(struct conf *c, char *line, char **to)
{
	char *equals = strchr(line, '='), *value = NULL;

	if (equals) {
		*equals = '\0';
		value = trim(equals + 1);
	}
	line = trim(line);
	if (!is_name(line) || c->nr > CONF_LINES)
		return -EINVAL;
	c->args[c->nr++] = *to;
	*to = stpcpy(stpcpy(*to, "--"), line);
	if (value)
		*to = stpcpy(stpcpy(*to, "="), value);
	(*to)++;
	return 0;
}

/* Makes arguments of the lines; behind the @size bytes of text is their room. */
static int parse(struct conf *c, const char *path, size_t size, struct error *e)
{
	char *line = c->text, *to = c->text + size + 1, *next;
	unsigned int nr = 1;

	if (memchr(c->text, '\0', size))
		return error_set(e, -EINVAL, "%s: a byte of it is zero", path);
	for (; line; line = next, nr++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = trim(line);
		if (!*line || *line == '#')
			continue;
		if (add(c, line, &to))
			return error_set(
				e, -EINVAL,
				"%s, line %u: it wants NAME = VALUE, an option of `%s --help`",
				path, nr, c->args[0]);
	}
	return 0;
}

static int read_file(struct conf *c, const char *path, int fd, struct error *e)
{
	ssize_t size;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "%s is no file", path);
	/* an argument is two bytes longer than its line, with its end three */
	c->text = calloc(1, CONF_MAX + 1 + CONF_MAX + 3 * CONF_LINES + 16);
	if (!c->text)
		return error_set(e, -ENOMEM, "%s: no memory", path);
	size = io_read(fd, c->text, CONF_MAX);
	if (size < 0)
		return error_set(e, size, "%s: %s", path, strerror(-size));
	if (size == CONF_MAX)
		return error_set(e, -EFBIG, "%s has more than %d bytes", path,
				 CONF_MAX - 1);
	return parse(c, path, size, e);
}

int conf_read(struct conf *c, const char *path, char *verb, struct error *e)
{
	int fd, ret;

	memset(c, 0, sizeof(*c));
	c->args[c->nr++] = verb;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(e, -errno, "%s: %s", path, strerror(errno));
	ret = read_file(c, path, fd, e);
	close(fd);
	return ret;
}

/* Is "--name" or "--name=value" taken from the file? */
static bool is_taken(const struct options *o, const char *without, int argc,
		     char **argv, const char *argument)
{
	const char *name = argument + strlen("--");
	size_t len = strcspn(name, "=");
	char copy[64];

	/* too long for an option: a mistake, which is told */
	if (len >= sizeof(copy))
		return true;
	memcpy(copy, name, len);
	copy[len] = '\0';
	return !option_among(without, copy, len) &&
	       !options_given(o, argc, argv, copy);
}

/* The file that the command line names; *chosen: it does. */
static const char *conf_path(const char *standard, int argc, char **argv,
			     bool *chosen)
{
	static const char name[] = "--conf";
	size_t len = strlen(name);
	int i;

	*chosen = true;
	for (i = 1; i < argc; i++) {
		if (strncmp(argv[i], name, len))
			continue;
		if (argv[i][len] == '=')
			return argv[i] + len + 1;
		if (!argv[i][len] && i + 1 < argc)
			return argv[i + 1];
	}
	*chosen = false;
	return standard;
}

int conf_arguments(struct conf *c, const struct options *o,
		   const char *standard, const char *without, int argc,
		   char **argv, struct error *e)
{
	bool chosen;
	const char *path = conf_path(standard, argc, argv, &chosen);
	int i, to = 1, ret = conf_read(c, path, argv[0], e);

	if (ret && (ret != -ENOENT || chosen))
		return ret;
	for (i = 1; i < c->nr; i++)
		if (is_taken(o, without, argc, argv, c->args[i]))
			c->args[to++] = c->args[i];
	c->path = to > 1 ? path : NULL;
	if (to + argc > (int)(sizeof(c->args) / sizeof(c->args[0])))
		return error_set(e, -E2BIG, "too many arguments");
	for (i = 1; i < argc; i++)
		c->args[to++] = argv[i];
	c->args[to] = NULL;
	c->nr = to;
	return 0;
}

void conf_say(const struct conf *c, const char *verb)
{
	char text[2 * ERROR_TEXT];

	if (!c->path)
		return;
	safe_text(text, sizeof(text), c->path);
	fprintf(stderr, "vmmprof %s: lines of %s are options, too\n", verb,
		text);
}
