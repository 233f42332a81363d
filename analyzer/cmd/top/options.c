// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof top`. */

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/record/messages.h"
#include "cmd/top/options.h"

#define MIN_INTERVAL	0.1
#define MAX_INTERVAL	3600
#define DEFAULT_LIMIT	10
#define MAX_RECORD_ARGS 512

enum {
	OPT_BUNDLE = 256,
	OPT_CODE,
	OPT_SERVER,
	OPT_LIMIT,
	/* what follows is record's */
	OPT_NO_SWITCHES,
	OPT_FORCE_PMU,
	OPT_TRANSPORT,
	OPT_SSH,
	OPT_TIMEOUT,
	OPT_PROGRAM,
};

static const char help[] =
	"usage: vmmprof top [OPTIONS]\n"
	"\n"
	"Shows what the host and its guests do now: VMs and vCPUs with the shares of\n"
	"their time, and the hottest functions of what is chosen.\n"
	"\n"
	"  -d, --delay=SECONDS      how often (default: 1)\n"
	"  -b, --batch              lines for scripts instead of panels\n"
	"  -n, --iterations=N       end after N times\n"
	"      --limit=N            functions of each machine, with -b (default: 10)\n"
	"      --guest-bundle=NAME=FILE\n"
	"                           a bundle of vmmprof-guest with the names of VM NAME,\n"
	"                           which then is not asked for them\n"
	"      --transport=LIST     ways in which guests may be asked for their names:\n"
	"                           agent, libvirt, vsock, ssh, or none (default: all)\n"
	"      --transport=NAME=LIST\n"
	"                           the same for the VM NAME\n"
	"      --ssh=NAME=USER@HOST how to reach the VM NAME by ssh, as root\n"
	"      --guest-timeout=SECONDS\n"
	"                           how long a guest may take to answer (default: 20)\n"
	"      --guest-program=FILE vmmprof-guest, which is sent to the guests\n"
	"  -N, --no-buildid-cache   guests send all their symbols each time\n"
	"      --code-from=FILE     a program, library or vmlinux that runs, copied here, of a\n"
	"                           guest for example, for its instructions\n"
	"      --debuginfod=WHICH   files that debuginfod servers are asked for: host\n"
	"                           (default, if DEBUGINFOD_URLS is set), all, no\n"
	"  -C, --cpu=LIST           these CPUs only, e.g. 0-3,8\n"
	"  -e, --event=EVENT,...    what to count, as `vmmprof record` has it\n"
	"  -c, --count=N            sample every N events; cpu-clock: every N ns\n"
	"  -F, --freq=HZ            sample HZ times a second instead\n"
	"  -m, --mmap-size=SIZE     ring buffer of each CPU, e.g. 512K (default), 4M\n"
	"      --no-switches        no records of when vCPUs' threads get and leave a CPU\n"
	"      --force-pmu          hardware events although KVM's mediated vPMU is on\n"
	"  -h, --help\n";

static int complain(const char *option, const char *what, const char *text)
{
	fprintf(stderr, "vmmprof top: %s wants %s, not '%s'\n", option, what,
		text);
	return EXIT_USAGE;
}

static int parse_delay(struct top_options *o, const char *text)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s >= MIN_INTERVAL && s <= MAX_INTERVAL))
		return complain("-d", "seconds from 0.1 to 3600", text);
	o->interval_ns = s * 1e9;
	return RECORD_GO_ON;
}

/* The options that are record's, with its own parser. */
struct record_args {
	int nr;
	char *arg[MAX_RECORD_ARGS];
};

static int pass_on(struct record_args *ra, int c)
{
	static char name[][20] = {
		['C'] = "-C",
		['e'] = "-e",
		['c'] = "-c",
		['F'] = "-F",
		['m'] = "-m",
		['N'] = "-N",
		[OPT_NO_SWITCHES] = "--no-switches",
		[OPT_FORCE_PMU] = "--force-pmu",
		[OPT_TRANSPORT] = "--transport",
		[OPT_SSH] = "--ssh",
		[OPT_TIMEOUT] = "--guest-timeout",
		[OPT_PROGRAM] = "--guest-program",
	};

	if (ra->nr + 2 >= MAX_RECORD_ARGS) {
		fputs("vmmprof top: too many options\n", stderr);
		return EXIT_USAGE;
	}
	ra->arg[ra->nr++] = name[c];
	if (c != OPT_NO_SWITCHES && c != OPT_FORCE_PMU && c != 'N')
		ra->arg[ra->nr++] = optarg;
	return RECORD_GO_ON;
}

static int parse_option(struct top_options *o, struct record_args *ra, int c)
{
	switch (c) {
	case 'd':
		return parse_delay(o, optarg);
	case 'b':
		o->batch = true;
		return RECORD_GO_ON;
	case 'n':
		if (!load_number("top", "-n", optarg, &o->times))
			return EXIT_USAGE;
		if (o->times)
			return RECORD_GO_ON;
		return complain("-n", "a number from 1 on", optarg);
	case OPT_LIMIT:
		return load_number("top", "--limit", optarg, &o->limit) ?
			       RECORD_GO_ON :
			       EXIT_USAGE;
	case OPT_BUNDLE:
		return load_bundle_option(&o->load, "top", optarg) ?
			       RECORD_GO_ON :
			       EXIT_USAGE;
	case OPT_CODE:
		return code_from_add(&o->code, "top", optarg) ? RECORD_GO_ON :
								EXIT_USAGE;
	case OPT_SERVER:
		return code_from_which(&o->code, "top", optarg) ? RECORD_GO_ON :
								  EXIT_USAGE;
	case 'h':
		fputs(help, stdout);
		return EXIT_OK;
	case '?':
		fputs("`vmmprof top --help` lists the options.\n", stderr);
		return EXIT_USAGE;
	default:
		return pass_on(ra, c);
	}
}

int top_parse_options(int argc, char **argv, struct top_options *o)
{
	static const struct option options[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "batch", no_argument, NULL, 'b' },
		{ "iterations", required_argument, NULL, 'n' },
		{ "limit", required_argument, NULL, OPT_LIMIT },
		{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
		{ "code-from", required_argument, NULL, OPT_CODE },
		{ "debuginfod", required_argument, NULL, OPT_SERVER },
		{ "cpu", required_argument, NULL, 'C' },
		{ "event", required_argument, NULL, 'e' },
		{ "count", required_argument, NULL, 'c' },
		{ "freq", required_argument, NULL, 'F' },
		{ "mmap-size", required_argument, NULL, 'm' },
		{ "no-switches", no_argument, NULL, OPT_NO_SWITCHES },
		{ "force-pmu", no_argument, NULL, OPT_FORCE_PMU },
		{ "transport", required_argument, NULL, OPT_TRANSPORT },
		{ "ssh", required_argument, NULL, OPT_SSH },
		{ "guest-timeout", required_argument, NULL, OPT_TIMEOUT },
		{ "guest-program", required_argument, NULL, OPT_PROGRAM },
		{ "no-buildid-cache", no_argument, NULL, 'N' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct record_args ra = { .nr = 1, .arg = { argv[0] } };
	int c, ret;

	memset(o, 0, sizeof(*o));
	o->load.verb = "top";
	o->interval_ns = 1000000000;
	o->limit = DEFAULT_LIMIT;
	optind = 0;
	while ((c = getopt_long(argc, argv, "d:bn:C:e:c:F:m:Nh", options,
				NULL)) != -1) {
		ret = parse_option(o, &ra, c);
		if (ret != RECORD_GO_ON)
			return ret;
	}
	if (optind < argc) {
		fprintf(stderr,
			"vmmprof top: what is '%s'?\n`vmmprof top --help` lists the options.\n",
			argv[optind]);
		return EXIT_USAGE;
	}
	ra.arg[ra.nr] = NULL;
	ret = record_parse_options(ra.nr, ra.arg, &o->record);
	o->record.quiet = true;
	return ret;
}
