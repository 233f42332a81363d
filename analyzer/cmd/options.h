/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of each verb as a table.  It is used to parse the command line,
 * to refuse options that would have no effect, and to make --help, the manual's
 * synopsis and the words that shells complete.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPTIONS_MAX	  48 /* of a verb */
#define OPTION_WORDS_MAX  32
#define OPTIONS_GO_ON	  -1
#define NO_NUMBER	  0xffffffffu /* of an OPTION_NUMBER: not given */
#define SECONDS_NOT_GIVEN (~0ull)

/* The argument of an option, and the member of the verb's structure for it. */
enum option_kind {
	OPTION_FLAG,	/* nothing; bool */
	OPTION_TEXT,	/* const char * */
	OPTION_NUMBER,	/* a whole number; __u32, less than NO_NUMBER */
	OPTION_LARGE,	/* a whole number; __u64 */
	OPTION_SECONDS, /* with fractions; __u64 of ns */
	OPTION_WORD,	/* one of the words; unsigned int, its number */
	OPTION_WORDS,	/* words with commas between; struct option_words */
	OPTION_OTHER,	/* .take() decides */
	OPTION_HELP,
};

/* What a shell can offer for an argument. */
enum option_value {
	VALUE_NONE, /* the words, if there are any */
	VALUE_FILE,
	VALUE_SESSION,
	VALUE_GUEST,
	VALUE_GUEST_FILE,  /* NAME=FILE */
	VALUE_GUEST_WORDS, /* NAME= and a word, or a word alone */
	VALUE_EVENT,	   /* of the session */
	VALUE_FUNCTION,	   /* of the session */
};

struct option_words {
	unsigned int nr;
	unsigned int at[OPTION_WORDS_MAX]; /* in the order given */
};

struct option_spec {
	char letter;	  /* of the short form, 0: it has none */
	const char *name; /* without its "--"; NULL ends a table */
	const char *arg;  /* name of its argument; NULL: it has none */
	const char *help; /* "%s" stands for the words */
	enum option_kind kind;
	size_t at; /* of its place */

	/* the members from here on may be 0 */
	const char *words;	    /* spaces between */
	const char *(*word)(int i); /* or so; NULL: no more */
	/* 0, 0: any; 0 to .max is from above 0 on for seconds */
	double min, max;
	enum option_value value;
	bool repeats; /* may be given several times, and each one counts */
	/*
	 * The argument may be left out; it needs a "=", or is a word that
	 * follows.  Then it is .without (NULL: .take() gets none).
	 */
	bool optional;
	const char *without;
	bool required;
	const char *aliases; /* of words: "ALIAS=WORD ALIAS=WORD" */
	const char *same_as; /* the option that this is another name of */
	const char *perf;    /* what perf has of the same letter */
	/*
	 * Of OPTION_OTHER; @to: its place, @arg: NULL without argument.
	 * False, with a message.
	 */
	bool (*take)(void *to, const char *verb, char *arg);
};

/* A table, and the offset of the structure that its members are in. */
struct option_group {
	const struct option_spec *specs; /* NULL: the end */
	size_t at;
};

/*
 * Options are given by their long names, with spaces between.  "NAME=VALUE" is
 * an option with that value; the operand is given by its name.
 */
struct option_rule {
	const char *of; /* NULL: the end */
	enum {
		NOT_WITH,  /* .others, if one of those is given */
		ONLY_WITH, /* if none of .others is given */
		ONE_OF,	   /* these: two of them have no effect together */
	} is;
	const char *others;
	const char *why; /* completes a sentence */
};

struct options {
	const char *verb;
	/* of "usage:", behind the verb; NULL: "[OPTIONS]" and the operand */
	const char *const *forms;
	const char *about; /* lines */
	const struct option_group *groups;
	const struct option_rule *rules; /* may be NULL */
	/* options of other verbs that it cannot have, and why; may be NULL */
	const struct option_absent {
		const char *name, *why; /* NULL: the end */
	} * absent;
	struct {
		const char *name; /* NULL: there is none */
		int max;	  /* how many */
		bool command;	  /* the rest of the line is its own */
		bool single; /* .at: const char *, as it was if not given */
		enum option_value value;
		size_t at; /* char **: the first of them, NULL behind the last */
	} operand;
	void (*more)(FILE *out); /* below the options; may be NULL */
};

/*
 * Fill in the structure at @into.  OPTIONS_GO_ON, or the exit status after
 * --help or a message.  Strings stay those of @argv.
 */
int options_parse(const struct options *o, void *into, int argc, char **argv);

/* Say what is wrong with the command line.  EXIT_USAGE. */
int options_wrong(const struct options *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for .take(), without the hint at --help.  Returns false. */
bool option_wrong(const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The number of the word of @len bytes at @arg; -1, with a message that calls
 * it @what, if the option has no such word.
 */
int option_word(const struct option_spec *s, const char *verb, const char *what,
		const char *arg, size_t len);

/*
 * Reads digits, with a fraction and an exponent or not, into *@v; returns what
 * stands behind them.  NULL: there are none, or a sign or hexadecimal digits.
 */
const char *option_decimal(const char *arg, double *v);

/* Has the verb such an option? */
bool options_have(const struct options *o, const char *name);

/*
 * Has the command line one of the options of that list?  Says nothing of what
 * is wrong with it, and leaves it as it is.
 */
bool options_given(const struct options *o, int argc, char *const *argv,
		   const char *list);

/* How many operands the command line has; likewise. */
int options_operands(const struct options *o, int argc, char *const *argv);

void options_help(const struct options *o, FILE *out);

/* Print the synopsis for the manual: all forms with all options. */
void options_synopsis(const struct options *o, FILE *out);

/* The tables of a verb one behind the other, --help at the end. */
struct option_list {
	unsigned int nr;
	const struct option_spec *spec[OPTIONS_MAX];
	size_t at[OPTIONS_MAX]; /* of its place in the verb's structure */
};

void options_list(const struct options *o, struct option_list *l);

/* Is the name of @len bytes among those of a rule's list? */
bool option_among(const char *list, const char *name, size_t len);

/*
 * Word number i of an option in @buf, which has OPTION_WORD_BYTES; false: it
 * has no more.
 */
#define OPTION_WORD_BYTES 64
bool option_word_at(const struct option_spec *s, int i, char *buf);

#endif /* CMD_OPTIONS_H */
