// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof record`. */

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/session.h>

#include "cmd/cmd.h"
#include "cmd/record/options.h"
#include "cmd/record/say.h"

#define DEFAULT_RING	(512u << 10) /* 6 s of samples at 1 ms */
#define MAX_SECONDS	1e8
#define MAX_TIMEOUT	3600
#define DEFAULT_TIMEOUT 20
#define MAX_FREQ	100000 /* the module takes no more */

enum {
	OPT_FORCE = 256,
	OPT_FORCE_PMU,
	OPT_BUNDLE,
	OPT_NO_CODE,
	OPT_NO_DRAIN,
	OPT_NO_SWITCHES,
	OPT_TRANSPORT,
	OPT_SSH,
	OPT_TIMEOUT,
	OPT_PROGRAM,
};

static const struct option options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "event", required_argument, NULL, 'e' },
	{ "count", required_argument, NULL, 'c' },
	{ "freq", required_argument, NULL, 'F' },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "force-pmu", no_argument, NULL, OPT_FORCE_PMU },
	{ "mmap-size", required_argument, NULL, 'm' },
	{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
	{ "transport", required_argument, NULL, OPT_TRANSPORT },
	{ "ssh", required_argument, NULL, OPT_SSH },
	{ "guest-timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "guest-program", required_argument, NULL, OPT_PROGRAM },
	{ "no-buildid-cache", no_argument, NULL, 'N' },
	{ "no-code", no_argument, NULL, OPT_NO_CODE },
	{ "no-drain", no_argument, NULL, OPT_NO_DRAIN },
	{ "no-switches", no_argument, NULL, OPT_NO_SWITCHES },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: vmmprof record [OPTIONS] [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Samples the host and its guests until COMMAND ends, -d is over, or Ctrl-C,\n"
	"and writes a session directory.\n"
	"\n"
	"  -a, --all-cpus           all CPUs (default)\n"
	"  -C, --cpu=LIST           these CPUs only, e.g. 0-3,8\n"
	"  -e, --event=EVENT,...    what to count; see below (default: ref-cycles;\n"
	"                           cycles, then cpu-clock, where there is none)\n"
	"  -c, --count=N            sample every N events; cpu-clock: every N ns\n"
	"  -F, --freq=HZ            sample HZ times a second instead\n"
	"                           (default: every 997 us of running time)\n"
	"  -d, --duration=SECONDS   stop after that; fractions are allowed\n"
	"  -o, --output=DIR         the session (default: vmmprof.data)\n"
	"      --force              replace DIR if it is an old session\n"
	"      --guest-bundle=NAME=FILE\n"
	"                           keep this bundle of vmmprof-guest for the VM NAME\n"
	"                           (a name or pid of `vmmprof guests`); FILE is read\n"
	"                           at the end and need not be there before\n"
	"      --transport=LIST     ways into guests that may be used: agent (QEMU's\n"
	"                           guest agent), libvirt (the same where libvirt holds\n"
	"                           its socket), vsock, ssh, or none (default: all)\n"
	"      --transport=NAME=LIST\n"
	"                           the same for the VM NAME\n"
	"      --ssh=NAME=USER@HOST how to reach the VM NAME by ssh, as root\n"
	"      --guest-timeout=SECONDS\n"
	"                           how long a guest may take to begin (default: 20);\n"
	"                           its bundle may take three times that\n"
	"      --guest-program=FILE vmmprof-guest, which is sent to the guests (default:\n"
	"                           beside vmmprof, or in ../lib/vmmprof)\n"
	"  -N, --no-buildid-cache   guests send all symbols; nothing is taken from the\n"
	"                           cache of `vmmprof guests --cache`, or put there\n"
	"      --no-code            guests send no code of their hot functions: then\n"
	"                           `vmmprof annotate` needs their files\n"
	"  -m, --mmap-size=SIZE     ring buffer of each CPU, e.g. 512K (default), 4M\n"
	"      --no-drain           empty the rings only at the end: for measuring\n"
	"                           what sampling itself costs\n"
	"      --no-switches        no records of when vCPUs' threads get and leave a CPU:\n"
	"                           steal and halt are then told from samples alone\n"
	"      --force-pmu          hardware events although KVM's mediated vPMU is on;\n"
	"                           VMs that want a vPMU then fail to start\n"
	"  -q, --quiet              print warnings and errors only\n"
	"  -v, --verbose            say more\n"
	"  -h, --help\n"
	"\n"
	"Events, by perf's names:\n";

static int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "vmmprof %s: ", record_verb());
	vfprintf(stderr, fmt, ap);
	fputs("\n", stderr);
	va_end(ap);
	return EXIT_USAGE;
}

/* A whole number from 1 to max, with nothing behind it but *end. */
static bool parse_count(const char *text, uint64_t max, uint64_t *ret,
			char **end)
{
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, end, 10);
	return !errno && *ret >= 1 && *ret <= max;
}

static int parse_rate(const char *text, char option, uint64_t max,
		      uint64_t *ret)
{
	char *end;

	if (parse_count(text, max, ret, &end) && !*end)
		return RECORD_GO_ON;
	return complain("-%c wants a whole number from 1 to %llu, not '%s'",
			option, (unsigned long long)max, text);
}

static int parse_duration(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > MAX_SECONDS)
		return complain("-d wants seconds, e.g. 10 or 0.5, not '%s'",
				text);
	*ns = seconds * 1e9 + 0.5;
	return RECORD_GO_ON;
}

static int parse_ring(const char *text, uint32_t *size)
{
	uint64_t bytes = 0;
	char *end = NULL;

	if (parse_count(text, VMMPROF_RING_MAX, &bytes, &end)) {
		if (*end == 'K' || *end == 'k') {
			bytes <<= 10;
			end++;
		} else if (*end == 'M' || *end == 'm') {
			bytes <<= 20;
			end++;
		}
	}
	if (!end || *end || bytes < VMMPROF_RING_MIN ||
	    bytes > VMMPROF_RING_MAX)
		return complain(
			"-m wants a size from %uK to %uM, e.g. 512K, not '%s'",
			VMMPROF_RING_MIN >> 10, VMMPROF_RING_MAX >> 20, text);
	for (*size = VMMPROF_RING_MIN; *size < bytes; *size <<= 1)
		;
	return RECORD_GO_ON;
}

static int parse_cpus(const char *text, struct record_options *opts)
{
	opts->have_cpus = true;
	if (!cpus_parse(text, &opts->cpus))
		return RECORD_GO_ON;
	return complain("-C wants CPU numbers, e.g. 0-3,8, not '%s'", text);
}

static int parse_events(const char *text, struct record_options *opts)
{
	char bad[EVENT_NAME];

	opts->have_events = true;
	switch (events_parse(text, &opts->events, bad)) {
	case 0:
		return RECORD_GO_ON;
	case -E2BIG:
		return complain("at most %d events can be sampled at once",
				VMMPROF_MAX_EVENTS);
	case -EEXIST:
		return complain("-e: '%s' is the same as an event before it",
				bad);
	default:
		complain("unknown event '%s'; known are:", bad);
	}
	events_print_known(stderr, "  ");
	return EXIT_USAGE;
}

static int parse_bundle(char *text, struct record_options *opts)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return complain("--guest-bundle wants NAME=FILE, not '%s'",
				text);
	if (opts->nr_bundles == RECORD_MAX_BUNDLES)
		return complain("more than %d bundles", RECORD_MAX_BUNDLES);
	*equals = '\0';
	opts->bundles[opts->nr_bundles].name = text;
	opts->bundles[opts->nr_bundles++].file = equals + 1;
	return RECORD_GO_ON;
}

/* The ways of a list; false: one of them is none. */
static bool parse_ways(const char *list, uint32_t *ways)
{
	static const struct {
		const char *name;
		enum vmmprof_reach how;
	} known[] = { { "agent", VMMPROF_REACH_AGENT },
		      { "libvirt", VMMPROF_REACH_LIBVIRT },
		      { "vsock", VMMPROF_REACH_VSOCK },
		      { "ssh", VMMPROF_REACH_SSH } };
	const unsigned int nr = sizeof(known) / sizeof(known[0]);
	const char *at = list;
	unsigned int i;

	*ways = 0;
	while (*at) {
		size_t len = strcspn(at, ",");

		for (i = 0; i < nr; i++)
			if (strlen(known[i].name) == len &&
			    !strncmp(at, known[i].name, len))
				break;
		if (i < nr)
			*ways |= 1u << known[i].how;
		else if (len != 4 || strncmp(at, "none", len))
			return false;
		at += len + (at[len] == ',');
	}
	return true;
}

/* The rule for the guest that text begins with, "NAME="; NULL: too many. */
static struct collect_rule *add_rule(char *text, struct record_options *opts)
{
	struct collect_rule *r;

	if (opts->nr_rules == RECORD_MAX_RULES)
		return NULL;
	r = &opts->rules[opts->nr_rules++];
	*strchr(text, '=') = '\0';
	r->name = text;
	return r;
}

static int parse_transports(char *text, struct record_options *opts)
{
	char *equals = strchr(text, '=');
	struct collect_rule *r;
	uint32_t ways;

	if (equals == text || !parse_ways(equals ? equals + 1 : text, &ways))
		return complain(
			"--transport wants agent, libvirt, vsock, ssh or none, or NAME= one of them, not '%s'",
			text);
	if (!equals) {
		opts->transports = ways;
		return RECORD_GO_ON;
	}
	r = add_rule(text, opts);
	if (!r)
		return complain("more than %d guests named", RECORD_MAX_RULES);
	r->forced = true;
	r->allow = ways;
	return RECORD_GO_ON;
}

static int parse_ssh(char *text, struct record_options *opts)
{
	char *equals = strchr(text, '=');
	struct collect_rule *r;

	/* ssh would take it for an option of its own */
	if (!equals || equals == text || !equals[1] || equals[1] == '-')
		return complain("--ssh wants NAME=user@host, not '%s'", text);
	r = add_rule(text, opts);
	if (!r)
		return complain("more than %d guests named", RECORD_MAX_RULES);
	r->ssh = equals + 1;
	return RECORD_GO_ON;
}

static int parse_timeout(const char *text, struct record_options *opts)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > MAX_TIMEOUT)
		return complain(
			"--guest-timeout wants up to %d seconds, not '%s'",
			MAX_TIMEOUT, text);
	opts->guest_timeout_ns = seconds * 1e9 + 0.5;
	return RECORD_GO_ON;
}

static int print_help(void)
{
	fputs(help, stdout);
	events_print_known(stdout, "  ");
	return EXIT_OK;
}

static int parse_option(int c, struct record_options *opts)
{
	switch (c) {
	case 'a':
		opts->have_cpus = false;
		break;
	case 'C':
		return parse_cpus(optarg, opts);
	case 'e':
		return parse_events(optarg, opts);
	case 'c':
		return parse_rate(optarg, 'c', 1ull << 62, &opts->rate.period);
	case 'F':
		return parse_rate(optarg, 'F', MAX_FREQ, &opts->rate.freq);
	case 'd':
		return parse_duration(optarg, &opts->duration_ns);
	case 'o':
		opts->dir = optarg;
		break;
	case OPT_FORCE:
		opts->force = true;
		break;
	case OPT_FORCE_PMU:
		opts->force_pmu = true;
		break;
	case 'm':
		return parse_ring(optarg, &opts->ring_size);
	case OPT_BUNDLE:
		return parse_bundle(optarg, opts);
	case OPT_TRANSPORT:
		return parse_transports(optarg, opts);
	case OPT_SSH:
		return parse_ssh(optarg, opts);
	case OPT_TIMEOUT:
		return parse_timeout(optarg, opts);
	case OPT_PROGRAM:
		opts->guest_program = optarg;
		break;
	case 'N':
		opts->no_cache = true;
		break;
	case OPT_NO_CODE:
		opts->no_code = true;
		return RECORD_GO_ON;
	case OPT_NO_DRAIN:
		opts->no_drain = true;
		break;
	case OPT_NO_SWITCHES:
		opts->no_switches = true;
		break;
	case 'q':
		opts->quiet = true;
		break;
	case 'v':
		opts->verbose = true;
		break;
	case 'h':
		return print_help();
	default:
		fputs("vmmprof record: `vmmprof record --help` lists the options\n",
		      stderr);
		return EXIT_USAGE;
	}
	return RECORD_GO_ON;
}

int record_parse_options(int argc, char **argv, struct record_options *opts)
{
	int c, ret;

	memset(opts, 0, sizeof(*opts));
	opts->dir = "vmmprof.data";
	opts->ring_size = DEFAULT_RING;
	opts->transports = ~0u;
	opts->guest_timeout_ns = DEFAULT_TIMEOUT * 1000000000ull;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+aC:e:c:F:d:o:m:Nqvh", options,
				NULL)) != -1) {
		ret = parse_option(c, opts);
		if (ret != RECORD_GO_ON)
			return ret;
	}
	if (opts->rate.period && opts->rate.freq)
		return complain("-c and -F exclude each other");
	if (optind < argc)
		opts->command = argv + optind;
	if (opts->command && opts->duration_ns)
		return complain(
			"-d and a COMMAND exclude each other: the recording ends with the command");
	if (!*opts->dir)
		return complain("-o wants a directory");
	return RECORD_GO_ON;
}
