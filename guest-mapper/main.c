// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmmprof-guest: runs inside a guest and writes its bundle, which gives the
 * host's samples of this guest their processes and functions.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code.h"
#include "format/code_list.h"
#include "have.h"
#include "serve.h"
#include "session.h"
#include <vmmprof/serve.h>
#include <vmmprof/version.h>

enum { EXIT_OK, EXIT_ERROR, EXIT_USAGE };

static void usage(FILE *out)
{
	fputs("usage: vmmprof-guest watch -o FILE [-d SECONDS] [OPTIONS]\n"
	      "       vmmprof-guest dump -o FILE [OPTIONS]\n"
	      "       vmmprof-guest code [-o FILE] --bundle FILE --list FILE\n"
	      "       vmmprof-guest serve [--vsock[=PORT]]\n"
	      "\n"
	      "Writes a bundle: which process each page table (CR3) belonged to and when,\n"
	      "the kernel's symbols, executable mappings and the symbols of mapped files.\n"
	      "Run it as root inside the guest.\n"
	      "\n"
	      "  watch   start before the measurement on the host, stop after it by\n"
	      "          SIGINT, SIGTERM or -d; prints \"ready\" when it watches\n"
	      "  dump    once, after the measurement: only processes that still run\n"
	      "  code    after that, read the bytes of the functions that the host lists,\n"
	      "          from the bundle's files and from the kernel; without -o they are\n"
	      "          added to the bundle\n"
	      "  serve   do what `vmmprof record` on the host asks for, over standard input\n"
	      "          and output (ssh), or as a daemon on a vsock port\n"
	      "\n"
	      "  -o, --output FILE     write to FILE, which must not exist\n"
	      "  -d, --duration SECS   watch: stop after this time\n"
	      "      --method METHOD   bpf, kcore (walk /proc/kcore), none, or auto:\n"
	      "                        the first of them that works (default)\n"
	      "      --have FILE       build-ids, 20 bytes each: the symbols of these files\n"
	      "                        are left out, because the reader has them\n"
	      "      --unwind          add tables for call chains: of the kernel (ORC) and of\n"
	      "                        mapped files (.eh_frame)\n"
	      "      --bundle FILE     code: the bundle that was written before\n"
	      "      --list FILE       code: lines `ID OFFSET SIZE` for a file of the bundle,\n"
	      "                        `kernel ADDRESS SIZE` for a function of the kernel;\n"
	      "                        at most 256 lines and 1 MiB;\n"
	      "                        `vmmprof annotate --code-list` on the host prints it\n"
	      "  -v, --verbose         say what is done and how much was written\n"
	      "      --vsock[=PORT]    serve: wait for the host on this port (30317)\n"
	      "      --version         print the version\n"
	      "  -h, --help            print this\n"
	      "\n"
	      "Exit status: 0 the bundle was written (what it lacks is said on standard\n"
	      "error and in it), 1 it could not be written, 2 wrong usage.\n",
	      out);
}

/* Limitations and errors: one line each. */
static void say(const char *text)
{
	fprintf(stderr, "vmmprof-guest: %s\n", text);
}

static int usage_error(const char *what, const char *arg)
{
	fprintf(stderr, "vmmprof-guest: %s%s%s (see vmmprof-guest --help)\n",
		what, arg ? ": " : "", arg ?: "");
	return EXIT_USAGE;
}

static bool parse_method(const char *text, enum method *ret)
{
	static const char *const names[] = {
		[METHOD_AUTO] = "auto",
		[METHOD_BPF] = "bpf",
		[METHOD_KCORE] = "kcore",
		[METHOD_NONE] = "none",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool parse_seconds(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end && isfinite(*ret) && *ret > 0 && *ret < 1e9;
}

struct serve_options {
	bool on;
	int port; /* of vsock; 0: standard input and output */
};

struct code_options {
	bool on;
	const char *bundle, *list;
};

/* By letters: those of the options without a short form are ours alone. */
enum {
	OPT_METHOD = 'M',
	OPT_HAVE = 'H',
	OPT_VSOCK = 'V',
	OPT_BUNDLE = 'B',
	OPT_LIST = 'L',
	OPT_UNWIND = 'U',
	OPT_VERSION = 256
};

/* An option that the verb does not have would do nothing: NULL, there is none. */
static const char *not_of_verb(const char *given, const char *takes)
{
	static const char *const names[256] = {
		['o'] = "-o",	    ['d'] = "-d",     ['v'] = "-v",
		['M'] = "--method", ['H'] = "--have", ['V'] = "--vsock",
		['B'] = "--bundle", ['L'] = "--list", ['U'] = "--unwind",
	};

	given += strspn(given, takes);
	return names[(unsigned char)*given];
}

/*
 * Parse the verb and check its options, of which the letters are @given; returns
 * what parse() does.
 */
static int parse_verb(int argc, char **argv, const char *given,
		      struct guest_options *opt, struct serve_options *serve,
		      struct code_options *code)
{
	static const struct {
		const char *name, *takes;
	} verbs[] = { { "watch", "odvMHU" },
		      { "dump", "ovMHU" },
		      { "code", "oBL" },
		      { "serve", "V" },
		      { NULL, NULL } };
	const char *verb = argv[optind], *wrong;
	char text[64];
	unsigned int i;

	if (!verb)
		return usage_error(
			"a verb is missing: watch, dump, code or serve", NULL);
	for (i = 0; verbs[i].name && strcmp(verb, verbs[i].name); i++)
		;
	if (!verbs[i].name)
		return usage_error("no such verb", verb);
	if (optind + 1 < argc)
		return usage_error("one verb only; not understood",
				   argv[optind + 1]);
	wrong = not_of_verb(given, verbs[i].takes);
	if (wrong) {
		snprintf(text, sizeof(text),
			 "%s has no effect with %s: leave it out", wrong,
			 verbs[i].name);
		return usage_error(text, NULL);
	}
	opt->watch = *verb == 'w';
	serve->on = *verb == 's';
	code->on = *verb == 'c';
	if (code->on && (!code->bundle || !code->list))
		return usage_error("code needs --bundle and --list", NULL);
	if (!opt->output && !code->on && !serve->on)
		return usage_error("-o FILE is missing", NULL);
	return EXIT_OK;
}

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "duration", required_argument, NULL, 'd' },
	{ "method", required_argument, NULL, OPT_METHOD },
	{ "have", required_argument, NULL, OPT_HAVE },
	{ "unwind", no_argument, NULL, OPT_UNWIND },
	{ "bundle", required_argument, NULL, OPT_BUNDLE },
	{ "list", required_argument, NULL, OPT_LIST },
	{ "verbose", no_argument, NULL, 'v' },
	{ "vsock", optional_argument, NULL, OPT_VSOCK },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* EXIT_OK: go on; -1: end with EXIT_OK; else end with that status. */
static int parse(int argc, char **argv, struct guest_options *opt,
		 struct serve_options *serve, struct code_options *code,
		 const char **have)
{
	char given[16] = "";
	int c;

	while ((c = getopt_long(argc, argv, "o:d:vh", options, NULL)) != -1) {
		if (c < 256 && !strchr(given, c) && strlen(given) < 15)
			given[strlen(given)] = c;
		switch (c) {
		case 'o':
			opt->output = optarg;
			break;
		case 'd':
			if (!parse_seconds(optarg, &opt->duration))
				return usage_error(
					"-d: not a number of seconds", optarg);
			break;
		case OPT_METHOD:
			if (!parse_method(optarg, &opt->method))
				return usage_error(
					"--method: not bpf, kcore, none or auto",
					optarg);
			break;
		case OPT_HAVE:
			*have = optarg;
			break;
		case OPT_UNWIND:
			opt->unwind = true;
			break;
		case OPT_BUNDLE:
			code->bundle = optarg;
			break;
		case OPT_LIST:
			code->list = optarg;
			break;
		case 'v':
			opt->verbose = true;
			break;
		case OPT_VSOCK:
			serve->port = optarg ? atoi(optarg) :
					       VMMPROF_SERVE_PORT;
			if (serve->port < 1)
				return usage_error("--vsock: not a port",
						   optarg);
			break;
		case OPT_VERSION:
			puts("vmmprof-guest " VMMPROF_VERSION);
			return -1;
		case 'h':
			usage(stdout);
			return -1;
		default:
			return usage_error("wrong options", NULL);
		}
	}
	return parse_verb(argc, argv, given, opt, serve, code);
}

static const char *advice(int err)
{
	switch (err) {
	case -EEXIST:
		return ": it exists; remove it or name another one";
	case -ENOSPC:
		return ": make room or write to another disk";
	case -EACCES:
	case -EPERM:
		return ": run as root, or write elsewhere";
	default:
		return "";
	}
}

static int serve(const struct serve_options *o)
{
	int ret = o->port ? serve_vsock(o->port) :
			    serve_host(STDIN_FILENO, STDOUT_FILENO);

	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof-guest: %s: %s\n", o->port ? "vsock" : "serve",
		strerror(-ret));
	return EXIT_ERROR;
}

static int write_code(const struct code_options *o, const char *output)
{
	static char list[CODE_LIST_MAX];
	int n = code_list(o->list, list, sizeof(list)), ret;

	ret = n < 0 ? n : code_write(list, n, o->bundle, output);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof-guest: code: %s%s\n",
		n < 0 || ret == -EINVAL ? "--list: " : "",
		ret == -EINVAL ?
			"not a list of code, as `vmmprof annotate --code-list` prints it" :
		ret == -EBADMSG ? "--bundle: not a bundle of vmmprof-guest" :
				  strerror(-ret));
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	struct guest_options opt = { .say = say };
	struct serve_options server = { 0 };
	struct code_options code = { 0 };
	const char *have = NULL;
	int ret = parse(argc, argv, &opt, &server, &code, &have);

	if (ret)
		return ret < 0 ? EXIT_OK : ret;
	if (server.on)
		return serve(&server);
	if (code.on)
		return write_code(&code, opt.output);
	ret = have ? have_read(have, &opt.have, &opt.nr_have) : 0;
	if (ret) {
		fprintf(stderr, "vmmprof-guest: --have: %s: %s\n", have,
			ret == -EINVAL ?
				"not a file of build-ids, 20 bytes each" :
				strerror(-ret));
		return EXIT_ERROR;
	}
	ret = guest_run(&opt);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof-guest: %s: %s%s\n", opt.output, strerror(-ret),
		advice(ret));
	return EXIT_ERROR;
}
