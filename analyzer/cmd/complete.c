// SPDX-License-Identifier: GPL-2.0-only
/* Completes a command line by the table of its verb's options. */

#include <string.h>

#include "cmd/complete.h"
#include "view/safe.h"

/* A command line up to the word that is to be completed. */
struct line {
	const struct options *o;
	struct option_list l;
	bool given[OPTIONS_MAX];
	const struct option_spec *awaits; /* whose argument is the next word */
	const char *dir;
	bool no_options; /* from here on */
};

void complete_offer(const struct completion *c, const char *text,
		    const char *after, const char *help)
{
	const char *prefix = c->word + c->head;
	char safe[4096];

	if (strncmp(text, prefix, strlen(prefix)))
		return;
	/* it must be printable, and mean the same when it is typed */
	safe_text(safe, sizeof(safe), text);
	if (*text && !strcmp(safe, text))
		printf("%.*s%s%s\t%s\n", c->head, c->word, text, after, help);
}

/* Notes that it is given. */
static const struct option_spec *given(struct line *line, unsigned int i)
{
	line->given[i] = true;
	return line->l.spec[i];
}

/* The option of "--name[=arg]", NULL. */
static const struct option_spec *long_option(struct line *line,
					     const char *name, const char **arg)
{
	size_t len = strcspn(name, "=");
	unsigned int i;

	for (i = 0; i < line->l.nr; i++)
		if (option_among(line->l.spec[i]->name, name, len))
			break;
	*arg = name[len] ? name + len + 1 : NULL;
	return i < line->l.nr ? given(line, i) : NULL;
}

/* The option of a word "--name[=arg]" or "-abc[arg]", NULL. */
static const struct option_spec *option_of(struct line *line, const char *word,
					   const char **arg)
{
	const struct option_spec *s = NULL;
	unsigned int i;

	if (word[1] == '-')
		return long_option(line, word + 2, arg);
	*arg = NULL;
	for (word++; *word && !*arg; word++) {
		for (i = 0; i < line->l.nr; i++)
			if (line->l.spec[i]->letter == *word)
				break;
		if (i == line->l.nr)
			return NULL;
		s = given(line, i);
		if (s->arg && word[1])
			*arg = word + 1;
	}
	return s;
}

static void step(struct line *line, const char *word)
{
	const struct option_spec *s = line->awaits;
	const char *arg = word;

	line->awaits = NULL;
	if (!s && (line->no_options || *word != '-' || !word[1])) {
		line->no_options |= line->o->operand.command;
		if (line->o->operand.value == VALUE_SESSION && !line->dir)
			line->dir = word;
		return;
	}
	if (!s && !strcmp(word, "--")) {
		line->no_options = true;
		return;
	}
	if (!s)
		s = option_of(line, word, &arg);
	if (s && s->arg && !s->optional && !arg)
		line->awaits = s;
	else if (s && s->value == VALUE_SESSION)
		line->dir = arg;
}

static void offer_words(struct completion c, const struct option_spec *s)
{
	const char *comma = strrchr(c.word + c.head, ',');
	char word[OPTION_WORD_BYTES];
	int i;

	if (comma && s->kind != OPTION_WORD)
		c.head = comma + 1 - c.word;
	for (i = 0; option_word_at(s, i, word); i++)
		complete_offer(&c, word, "", "");
}

static void offer_value(struct completion c, const struct option_spec *s)
{
	const char *equals = strchr(c.word + c.head, '=');

	switch (s->value) {
	case VALUE_FILE:
	case VALUE_SESSION:
		complete_files(&c, s->value == VALUE_SESSION);
		break;
	case VALUE_GUEST_FILE:
	case VALUE_GUEST_WORDS:
		if (!equals)
			complete_names(&c, VALUE_GUEST, "=");
		else
			c.head = equals + 1 - c.word;
		if (s->value == VALUE_GUEST_WORDS)
			offer_words(c, s);
		else if (equals)
			complete_files(&c, false);
		break;
	case VALUE_NONE:
		offer_words(c, s);
		break;
	default:
		complete_names(&c, s->value, "");
	}
}

static void offer_options(const struct line *line, const struct completion *c)
{
	char name[64], help[60];
	unsigned int i;
	size_t len;

	for (i = 0; i < line->l.nr; i++) {
		const struct option_spec *s = line->l.spec[i];

		if (line->given[i] && !s->repeats)
			continue;
		snprintf(name, sizeof(name), "--%s", s->name);
		len = strcspn(s->help, "\n%;(");
		while (len && s->help[len - 1] == ' ')
			len--;
		snprintf(help, sizeof(help), "%.*s", (int)len, s->help);
		complete_offer(c, name, "", help);
	}
}

/* @words: the verb and what follows. */
static void offer_of_verb(const struct verb *verb, int nr, char **words)
{
	const struct option_spec operand = {
		.value = verb->options->operand.value
	};
	struct completion c = { .word = words[nr - 1] };
	struct line line = { .o = verb->options };
	const struct option_spec *s;
	const char *arg = NULL;
	unsigned int k;
	int i;

	options_list(line.o, &line.l);
	for (i = 1; i < nr - 1; i++)
		step(&line, words[i]);
	c.dir = line.dir;
	c.of_session = operand.value == VALUE_SESSION;
	for (k = 0; k < line.l.nr; k++)
		c.of_session |= !strcmp(line.l.spec[k]->name, "input");
	if (line.awaits) {
		offer_value(c, line.awaits);
	} else if (line.no_options || *c.word != '-') {
		if (operand.value)
			offer_value(c, &operand);
	} else {
		s = strcmp(c.word, "--") ? option_of(&line, c.word, &arg) :
					   NULL;
		if (arg)
			c.head = arg - c.word;
		if (s && arg && s->arg)
			offer_value(c, s);
		else if (!arg)
			offer_options(&line, &c);
	}
}

int complete(const struct verb *verbs, int nr_words, char **words)
{
	struct completion c = { .word = nr_words ? words[nr_words - 1] : "" };
	const struct verb *v;

	for (v = verbs; v->name; v++) {
		if (nr_words == 1 ||
		    (nr_words == 2 && !strcmp(words[0], "help")))
			complete_offer(&c, v->name, "", v->help);
		else if (nr_words > 1 && !strcmp(words[0], v->name))
			offer_of_verb(v, nr_words, words);
	}
	return EXIT_OK;
}
