// SPDX-License-Identifier: GPL-2.0-only
/* Makes a verb's --help and the synopsis of its manual from its table. */

#include <string.h>

#include "cmd/options.h"

#define COLUMNS	    80
#define MAN_COLUMNS 70 /* of a synopsis, which the manual indents */
#define HELP_COLUMN 29 /* where the description of an option begins */

/* The position of the next word. */
struct place {
	FILE *out;
	size_t column, indent; /* indent: of continued lines */
	size_t columns;
};

static void put_piece(struct place *at, const char *piece, size_t len)
{
	if (at->column > at->indent && at->column + len > at->columns) {
		fprintf(at->out, "\n%*s", (int)at->indent, "");
		at->column = at->indent;
		while (len && *piece == ' ') {
			piece++;
			len--;
		}
	}
	fwrite(piece, 1, len, at->out);
	at->column += len;
}

/* Spaces go before a word; a line may begin with several. */
static void put_text(struct place *at, const char *text)
{
	size_t len;

	for (; *text; text += len) {
		if (*text == '\n') {
			fprintf(at->out, "\n%*s", (int)at->indent, "");
			at->column = at->indent;
			text++;
		}
		len = strspn(text, " ");
		len += strcspn(text + len, "\n ");
		put_piece(at, text, len);
	}
}

/* A word, and a comma. */
static void put_words(struct place *at, const struct option_spec *s)
{
	char word[OPTION_WORD_BYTES + 4] = " ", next[OPTION_WORD_BYTES];
	int i;

	for (i = 0; option_word_at(s, i, word + 1); i++) {
		if (option_word_at(s, i + 1, next))
			strcat(word, ",");
		put_piece(at, word, strlen(word));
	}
}

/* "--name=ARG" */
static void long_form(const struct option_spec *s, char *buf, size_t size)
{
	snprintf(buf, size, "--%s%s%s%s", s->name,
		 !s->arg     ? "" :
		 s->optional ? "[=" :
			       "=",
		 s->arg ? s->arg : "", s->optional ? "]" : "");
}

/* "--a or --b" of the list "a b", behind what is in @text. */
static void add_needed(char *text, size_t size, const char *list)
{
	size_t len = strlen(text), n;
	const char *between = "";

	for (; *list && len < size; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		len += snprintf(text + len, size - len, "%s--%.*s", between,
				(int)n, list);
		between = " or ";
	}
}

/* Names the options without which this one has no effect. */
static void put_needs(struct place *at, const struct options *o,
		      const struct option_spec *s)
{
	const struct option_rule *r;
	char text[256] = "";

	for (r = o->rules; r && r->of; r++) {
		if (r->is != ONLY_WITH ||
		    !option_among(r->of, s->name, strlen(s->name)))
			continue;
		strcat(text, *text ? ", and " : " (only with ");
		add_needed(text, sizeof(text) / 2, r->others);
	}
	if (*text)
		put_text(at, strcat(text, ")"));
}

static void put_option(const struct options *o, const struct option_spec *s,
		       FILE *out)
{
	struct place at = { out, HELP_COLUMN, HELP_COLUMN, COLUMNS };
	const char *words = strstr(s->help, " %s");
	char form[96], text[1024];
	int n;

	long_form(s, form, sizeof(form));
	if (s->letter)
		n = fprintf(out, "  -%c, %s", s->letter, form);
	else
		n = fprintf(out, "      %s", form);
	if (n >= HELP_COLUMN)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", HELP_COLUMN - n, "");
	snprintf(text, sizeof(text), "%.*s",
		 (int)(words ? (size_t)(words - s->help) : strlen(s->help)),
		 s->help);
	put_text(&at, text);
	if (words) {
		put_words(&at, s);
		put_text(&at, words + strlen(" %s"));
	}
	put_needs(&at, o, s);
	if (s->perf) {
		snprintf(text, sizeof(text), "; %s", s->perf);
		put_text(&at, text);
	}
	fputc('\n', out);
}

/* "-i DIR" */
static void short_form(const struct option_spec *s, char *buf, size_t size)
{
	if (s->letter)
		snprintf(buf, size, "-%c%s%s", s->letter, s->arg ? " " : "",
			 s->arg ? s->arg : "");
	else
		long_form(s, buf, size);
}

/* The options of which only one can be given, of which @s is one; NULL. */
static const char *alternatives(const struct options *o,
				const struct option_spec *s)
{
	const struct option_rule *r;

	for (r = o->rules; r && r->of; r++)
		if (r->is == ONE_OF &&
		    option_among(r->of, s->name, strlen(s->name)))
			return r->of;
	return NULL;
}

/* Is the option in the form itself, or has the form's operand none with it? */
static bool stands_out(const struct options *o, const char *form,
		       const struct option_spec *s)
{
	const char *operand = o->operand.name;
	const struct option_rule *r;
	char name[64];

	snprintf(name, sizeof(name), "--%s", s->name);
	if (strstr(form, name))
		return true;
	if (!operand || !strstr(form, operand))
		return false;
	for (r = o->rules; r && r->of; r++)
		if (option_among(r->of, operand, strlen(operand)) &&
		    option_among(r->others, s->name, strlen(s->name)))
			return true;
	return false;
}

static void put_all(struct place *at, const struct options *o, const char *form)
{
	char piece[512], text[96];
	const struct option_spec *s;
	const char *one_of;
	struct option_list l;
	unsigned int i, k;

	options_list(o, &l);
	for (i = 0; i < l.nr - 1; i++) {
		s = l.spec[i];
		one_of = alternatives(o, s);
		if (stands_out(o, form, s))
			continue;
		for (k = 0; one_of && k < i; k++)
			if (alternatives(o, l.spec[k]) == one_of)
				break;
		if (one_of && k < i)
			continue; /* printed together with the first of them */
		strcpy(piece, " [");
		for (k = i; k < l.nr - 1; k++) {
			if (k > i &&
			    (!one_of || alternatives(o, l.spec[k]) != one_of ||
			     stands_out(o, form, l.spec[k])))
				continue;
			short_form(l.spec[k], text, sizeof(text));
			strcat(strcat(piece, k > i ? " | " : ""), text);
		}
		strcat(piece,
		       s->repeats && s->kind == OPTION_OTHER ? "]..." : "]");
		put_piece(at, piece, strlen(piece));
	}
}

static void put_form(struct place *at, const struct options *o,
		     const char *form, bool all)
{
	static const char some[] = "[OPTIONS]";
	const char *options = all ? strstr(form, some) : NULL;
	char text[256];

	if (!options) {
		put_text(at, " ");
		put_text(at, form);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)(options - form), form);
	if (*text)
		text[strlen(text) - 1] = '\0'; /* the blank before */
	if (*text)
		put_text(at, " ");
	put_text(at, text);
	put_all(at, o, form);
	put_text(at, options + strlen(some));
}

static void put_forms(const struct options *o, FILE *out, const char *first,
		      const char *next, bool all)
{
	static const char *const usual[] = { "[OPTIONS]", NULL };
	const char *const *form = o->forms ? o->forms : usual;
	struct place at = { .out = out,
			    .columns = all ? MAN_COLUMNS : COLUMNS };

	for (; *form; form++) {
		at.column = fprintf(
			out, "%svmmprof %s",
			form == o->forms || !o->forms ? first : next, o->verb);
		at.indent = at.column + 1;
		put_form(&at, o, *form, all);
		fputc('\n', out);
	}
}

void options_synopsis(const struct options *o, FILE *out)
{
	put_forms(o, out, "    ", "    ", true);
}

void options_help(const struct options *o, FILE *out)
{
	struct option_list l;
	unsigned int i;

	put_forms(o, out, "usage: ", "       ", false);
	fprintf(out, "\n%s\n\n", o->about);
	options_list(o, &l);
	for (i = 0; i < l.nr; i++)
		put_option(o, l.spec[i], out);
	if (o->more) {
		fputc('\n', out);
		o->more(out);
	}
}
