// SPDX-License-Identifier: GPL-2.0-only
/* Parses a verb's command line by its table, and refuses what has no effect. */

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"

#define FIRST_VALUE 256 /* of getopt_long(): behind all letters */

struct parse {
	const struct options *of;
	struct option_list l;
	char *base;
	const char *given[OPTIONS_MAX]; /* its argument, or "" */
	bool mixed[OPTIONS_MAX];	/* it was given with several */
	int operands;
};

static void say(const char *verb, const char *fmt, va_list ap)
{
	fprintf(stderr, "vmmprof %s: ", verb);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

bool option_wrong(const char *verb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(verb, fmt, ap);
	va_end(ap);
	return false;
}

static int look_up(const struct options *o)
{
	fprintf(stderr, "`vmmprof %s --help` lists the options.\n", o->verb);
	return EXIT_USAGE;
}

int options_wrong(const struct options *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(o->verb, fmt, ap);
	va_end(ap);
	return look_up(o);
}

void options_list(const struct options *o, struct option_list *l)
{
	static const struct option_spec help = { 'h', "help", NULL, "this text",
						 .kind = OPTION_HELP };
	const struct option_group *g;
	const struct option_spec *s;

	l->nr = 0;
	for (g = o->groups; g->specs; g++) {
		for (s = g->specs; s->name && l->nr < OPTIONS_MAX - 1; s++) {
			l->spec[l->nr] = s;
			l->at[l->nr++] = g->at + s->at;
		}
	}
	l->spec[l->nr++] = &help;
}

bool option_word_at(const struct option_spec *s, int i, char *buf)
{
	const char *p = s->words;

	if (s->word) {
		p = s->word(i);
		i = 0;
	}
	for (; p && i; i--) {
		p = strchr(p, ' ');
		p += !!p;
	}
	if (!p)
		return false;
	snprintf(buf, OPTION_WORD_BYTES, "%.*s", (int)strcspn(p, " "), p);
	return true;
}

/* -1: there is no such word. */
static int find_word(const struct option_spec *s, const char *arg, size_t len)
{
	char word[OPTION_WORD_BYTES];
	int i;

	for (i = 0; option_word_at(s, i, word); i++)
		if (strlen(word) == len && !memcmp(word, arg, len))
			return i;
	return -1;
}

/* The word that an alias stands for; its length or 0. */
static size_t find_alias(const struct option_spec *s, const char *arg,
			 size_t len, const char **word)
{
	const char *p = s->aliases;
	size_t n;

	for (; p && *p; p += n + (p[n] == ' ')) {
		n = strcspn(p, " ");
		if (strcspn(p, "=") != len || memcmp(p, arg, len))
			continue;
		*word = p + len + 1;
		return n - len - 1;
	}
	return 0;
}

int option_word(const struct option_spec *s, const char *verb, const char *what,
		const char *arg, size_t len)
{
	char word[OPTION_WORD_BYTES], next[OPTION_WORD_BYTES];
	const char *stands_for = arg;
	size_t n = find_alias(s, arg, len, &stands_for);
	int i = find_word(s, stands_for, n ? n : len);

	if (i >= 0)
		return i;
	fprintf(stderr, "vmmprof %s: %s wants ", verb, what);
	for (i = 0; option_word_at(s, i, word); i++)
		fprintf(stderr, "%s%s",
			!i			       ? "" :
			option_word_at(s, i + 1, next) ? ", " :
							 " or ",
			word);
	fprintf(stderr, ", not '%.*s'\n", (int)len, arg);
	return -1;
}

static bool take_words(const struct option_spec *s, struct option_words *to,
		       const char *verb, const char *what, const char *arg)
{
	size_t len;
	unsigned int i;
	int word;

	for (to->nr = 0;; arg += len + 1) {
		len = strcspn(arg, ",");
		word = option_word(s, verb, what, arg, len);
		if (word < 0)
			return false;
		for (i = 0; i < to->nr && !s->repeats; i++)
			if (to->at[i] == (unsigned int)word)
				return option_wrong(verb, "%s has '%.*s' twice",
						    what, (int)len, arg);
		if (to->nr == OPTION_WORDS_MAX)
			return option_wrong(verb, "%s has more than %u words",
					    what, OPTION_WORDS_MAX);
		to->at[to->nr++] = word;
		if (!arg[len])
			return true;
	}
}

static bool take_number(const struct option_spec *s, void *to, const char *verb,
			const char *arg)
{
	bool large = s->kind == OPTION_LARGE;
	uint64_t max = s->max ? s->max : NO_NUMBER - 1ull, v;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (!errno && !*end && *arg >= '0' && *arg <= '9' && v >= s->min &&
	    v <= max) {
		if (large)
			*(uint64_t *)to = v;
		else
			*(uint32_t *)to = v;
		return true;
	}
	/* a whole number that is too large is told by what the largest is */
	if (s->max || (*arg && !arg[strspn(arg, "0123456789")] && v >= s->min))
		return option_wrong(
			verb,
			"--%s wants a whole number from %.0f to %.0f, not '%s'",
			s->name, s->min, (double)max, arg);
	return option_wrong(verb, "--%s wants a whole number%s, not '%s'%s%s",
			    s->name, s->min ? " from 1 on" : "", arg,
			    s->perf ? "; " : "", s->perf ? s->perf : "");
}

const char *option_decimal(const char *arg, double *v)
{
	char *end;

	/* a sign, spaces, "nan" and "inf", and hexadecimal digits */
	if ((*arg != '.' && (*arg < '0' || *arg > '9')) ||
	    !strncasecmp(arg, "0x", 2))
		return NULL;
	*v = strtod(arg, &end);
	return end == arg ? NULL : end;
}

static bool take_seconds(const struct option_spec *s, uint64_t *to,
			 const char *verb, const char *arg)
{
	double v;
	const char *end = option_decimal(arg, &v);

	if (end && !*end && v >= s->min && v <= s->max) {
		*to = v * 1e9 + 0.5;
		return true;
	}
	/* a minimum close to 0 means "above 0" */
	return option_wrong(
		verb, "--%s wants seconds %s %.1f to %.0f, e.g. %s, not '%s'",
		s->name, s->min > 0 && s->min < 0.1 ? "above" : "from", s->min,
		s->max, s->min > 0.5 ? "1.5" : "0.5", arg);
}

static bool take(struct parse *p, unsigned int i, char *arg)
{
	const struct option_spec *s = p->l.spec[i];
	const char *verb = p->of->verb, *before = p->given[i];
	void *to = p->base + p->l.at[i];
	char what[64];
	int word;

	snprintf(what, sizeof(what), "--%s", s->name);
	p->given[i] = arg ? arg : "";
	p->mixed[i] |= before && strcmp(before, p->given[i]);
	if (p->mixed[i] && !s->repeats)
		return option_wrong(
			verb,
			"%s is given twice: '%s' has no effect, '%s' would: leave one of them out",
			what, before, p->given[i]);
	switch (s->kind) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return true;
	case OPTION_TEXT:
		*(const char **)to = arg;
		return true;
	case OPTION_NUMBER:
	case OPTION_LARGE:
		return take_number(s, to, verb, arg);
	case OPTION_SECONDS:
		return take_seconds(s, to, verb, arg);
	case OPTION_WORD:
		word = option_word(s, verb, what, arg, strlen(arg));
		*(unsigned int *)to = word;
		return word >= 0;
	case OPTION_WORDS:
		return take_words(s, to, verb, what, arg);
	default:
		return s->take(to, verb, arg);
	}
}

bool option_among(const char *list, const char *name, size_t len)
{
	size_t n;

	for (; list && *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == len && !memcmp(list, name, n))
			return true;
	}
	return false;
}

/* Is this word of a rule given? */
static bool is_given(const struct parse *p, const char *word, size_t len)
{
	const char *operand = p->of->operand.name;
	const char *equals = memchr(word, '=', len);
	size_t name = equals ? (size_t)(equals - word) : len;
	unsigned int i;

	if (operand && option_among(operand, word, len))
		return p->operands;
	for (i = 0; i < p->l.nr; i++)
		if (p->given[i] && option_among(p->l.spec[i]->name, word, name))
			return !equals || (!p->mixed[i] &&
					   option_among(p->given[i], equals + 1,
							len - name - 1));
	return false;
}

/* The first word of a list from *from on that is given; its length or 0. */
static size_t next_given(const struct parse *p, const char **from)
{
	size_t n;

	for (; *from && **from; *from += n + ((*from)[n] == ' ')) {
		n = strcspn(*from, " ");
		if (is_given(p, *from, n))
			return n;
	}
	return 0;
}

static bool refuse(const struct parse *p, const char *a, size_t a_len,
		   const char *b, size_t b_len, const char *why)
{
	/* operands are written in capitals */
	const char *a_dash = *a >= 'a' ? "--" : "";
	const char *b_dash = *b >= 'a' ? "--" : "";

	return option_wrong(
		p->of->verb,
		"%s%.*s has no effect with %s%.*s: %s; leave one of them out",
		a_dash, (int)a_len, a, b_dash, (int)b_len, b, why);
}

static bool refuse_alone(const struct parse *p, const char *a, size_t a_len,
			 const struct option_rule *r)
{
	const char *b = r->others;
	size_t n;

	fprintf(stderr, "vmmprof %s: %s%.*s has no effect without ",
		p->of->verb, *a >= 'a' ? "--" : "", (int)a_len, a);
	for (; *b; b += n + (b[n] == ' ')) {
		n = strcspn(b, " ");
		fprintf(stderr, "%s--%.*s", b == r->others ? "" : " or ",
			(int)n, b);
	}
	fprintf(stderr, ": %s; give both or none\n", r->why);
	return false;
}

static bool rule_holds(const struct parse *p, const struct option_rule *r)
{
	const char *a = r->of, *b;
	size_t a_len = next_given(p, &a), b_len;

	if (!a_len)
		return true;
	b = r->is == ONE_OF ? a + a_len + (a[a_len] == ' ') : r->others;
	b_len = next_given(p, &b);
	if (r->is == ONLY_WITH)
		return b_len || refuse_alone(p, a, a_len, r);
	return !b_len || refuse(p, a, a_len, b, b_len, r->why);
}

/* Checks all options together, after the last one. */
static bool check(const struct parse *p, char **operands)
{
	const struct option_rule *r;
	unsigned int i;

	if (!p->of->operand.command && p->operands > p->of->operand.max)
		return option_wrong(
			p->of->verb, "unexpected argument '%s'%s",
			operands[p->of->operand.max],
			!p->of->operand.name &&
					option_among("input",
						     p->l.spec[0]->name, 5) ?
				": a session is named with -i" :
				"");
	for (r = p->of->rules; r && r->of; r++)
		if (!rule_holds(p, r))
			return false;
	for (i = 0; i < p->l.nr; i++)
		if (p->l.spec[i]->required && !p->given[i])
			return option_wrong(p->of->verb, "--%s=%s is missing",
					    p->l.spec[i]->name,
					    p->l.spec[i]->arg);
	return true;
}

/* Makes the options for getopt_long(). */
static void make_getopt(const struct parse *p, char *letters,
			struct option *longs)
{
	unsigned int i;

	if (p->of->operand.command)
		*letters++ = '+';
	for (i = 0; i < p->l.nr; i++) {
		const struct option_spec *s = p->l.spec[i];

		longs[i] = (struct option){ s->name,
					    !s->arg	? no_argument :
					    s->optional ? optional_argument :
							  required_argument,
					    NULL, FIRST_VALUE + i };
		if (s->letter)
			*letters++ = s->letter;
		if (s->letter && s->arg)
			*letters++ = ':';
		if (s->letter && s->optional)
			*letters++ = ':';
	}
	longs[i] = (struct option){ 0 };
	*letters = '\0';
}

static unsigned int number_of(const struct parse *p, int c)
{
	unsigned int i;

	if (c >= FIRST_VALUE)
		return c - FIRST_VALUE;
	for (i = 0; p->l.spec[i]->letter != c; i++)
		;
	return i;
}

/* The option that option number i is another name of, or itself. */
static unsigned int real_option(const struct option_list *l, unsigned int i)
{
	const char *name = l->spec[i]->same_as;

	if (!name)
		return i;
	for (i = 0; strcmp(l->spec[i]->name, name); i++)
		;
	return i;
}

static void take_operands(const struct parse *p, char **operands)
{
	void *to = p->base + p->of->operand.at;

	if (!p->of->operand.single)
		*(char ***)to = operands;
	else if (p->operands)
		*(const char **)to = *operands;
}

bool options_have(const struct options *o, const char *name)
{
	struct option_list l;
	unsigned int i;

	options_list(o, &l);
	for (i = 0; i < l.nr && strcmp(l.spec[i]->name, name); i++)
		;
	return i < l.nr;
}

/* The first option of that list, if there is one; *operands: behind all options. */
static bool look_through(const struct options *o, int argc, char *const *argv,
			 const char *list, int *operands)
{
	char *copy[argc + 1], letters[2 * OPTIONS_MAX + 2];
	struct option longs[OPTIONS_MAX + 1];
	struct parse p = { .of = o };
	const char *name;
	bool found = false;
	int c;

	/* getopt_long() sorts its arguments */
	memcpy(copy, argv, argc * sizeof(*copy));
	copy[argc] = NULL;
	options_list(o, &p.l);
	make_getopt(&p, letters, longs);
	opterr = 0;
	optind = 0;
	while (!found &&
	       (c = getopt_long(argc, copy, letters, longs, NULL)) != -1) {
		if (c == '?')
			continue;
		name = p.l.spec[number_of(&p, c)]->name;
		found = option_among(list, name, strlen(name));
	}
	opterr = 1;
	*operands = argc - optind;
	return found;
}

bool options_given(const struct options *o, int argc, char *const *argv,
		   const char *list)
{
	int operands;

	return look_through(o, argc, argv, list, &operands);
}

int options_operands(const struct options *o, int argc, char *const *argv)
{
	int operands;

	look_through(o, argc, argv, "", &operands);
	return operands;
}

/* The argument of an option without "=ARG", before @next (may be NULL). */
static char *optional_word(const struct option_spec *s, char *next)
{
	if (next && find_word(s, next, strlen(next)) >= 0) {
		optind++;
		return next;
	}
	return (char *)s->without;
}

/* An option that is not known: says why, if others have it. */
static void say_absent(const struct options *o, const char *word)
{
	const struct option_absent *a;
	size_t len;

	if (!o->absent || !word || strncmp(word, "--", 2))
		return;
	len = strcspn(word + 2, "=");
	for (a = o->absent; a->name; a++)
		if (strlen(a->name) == len && !strncmp(a->name, word + 2, len))
			fprintf(stderr, "vmmprof %s: there is no --%s: %s\n",
				o->verb, a->name, a->why);
}

int options_parse(const struct options *o, void *into, int argc, char **argv)
{
	struct parse p = { .of = o, .base = into };
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
	unsigned int i;
	int c;

	options_list(o, &p.l);
	make_getopt(&p, letters, longs);
	optind = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?') {
			say_absent(o, argv[optind - 1]);
			return look_up(o);
		}
		i = real_option(&p.l, number_of(&p, c));
		if (p.l.spec[i]->kind == OPTION_HELP) {
			options_help(o, stdout);
			return EXIT_OK;
		}
		if (!optarg && p.l.spec[i]->optional)
			optarg = optional_word(p.l.spec[i], argv[optind]);
		if (!take(&p, i, optarg))
			return look_up(o);
	}
	p.operands = argc - optind;
	if (!check(&p, argv + optind))
		return look_up(o);
	if (o->operand.name)
		take_operands(&p, argv + optind);
	return OPTIONS_GO_ON;
}
