// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof record`. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>
#include <vmmprof/session.h>

#include "cmd/cmd.h"
#include "cmd/record/options.h"
#include "os/proc_file.h"

#define MAX_SECONDS	1e8
#define MAX_TIMEOUT	3600
#define MIN_SECONDS	1e-6
#define DEFAULT_TIMEOUT 20
#define MAX_FREQ	100000 /* the module takes no more */

static bool take_ring(void *to, const char *verb, char *arg)
{
	uint32_t *size = to;
	uint64_t bytes;
	char *end;

	errno = 0;
	bytes = strtoull(arg, &end, 10);
	if (errno || *arg < '0' || *arg > '9' || bytes > VMMPROF_RING_MAX)
		bytes = 0;
	if (*end == 'K' || *end == 'k') {
		bytes <<= 10;
		end++;
	} else if (*end == 'M' || *end == 'm') {
		bytes <<= 20;
		end++;
	}
	if (*end || bytes < VMMPROF_RING_MIN || bytes > VMMPROF_RING_MAX)
		return option_wrong(
			verb,
			"--mmap-size wants a size from %uK to %uM, e.g. 512K, not '%s' (a number alone is bytes; perf's -m counts pages)",
			VMMPROF_RING_MIN >> 10, VMMPROF_RING_MAX >> 20, arg);
	for (*size = VMMPROF_RING_MIN; *size < bytes; *size <<= 1)
		;
	return true;
}

static bool take_cpus(void *to, const char *verb, char *arg)
{
	struct record_options *opts = to;

	opts->have_cpus = true;
	return !cpus_parse(arg, &opts->cpus) ||
	       option_wrong(verb,
			    "--cpu wants CPU numbers, e.g. 0-3,8, not '%s'",
			    arg);
}

static bool take_events(void *to, const char *verb, char *arg)
{
	struct record_options *opts = to;
	char bad[EVENT_NAME];

	opts->have_events = true;
	switch (events_parse(arg, &opts->events, bad)) {
	case 0:
		return true;
	case -E2BIG:
		return option_wrong(verb,
				    "at most %d events can be sampled at once",
				    VMMPROF_MAX_EVENTS);
	case -EEXIST:
		return option_wrong(
			verb, "--event: '%s' is the same as an event before it",
			bad);
	case -EPROTO:
		return option_wrong(
			verb,
			"--event: '%s': behind the colon stand u (user mode), k (kernel mode), G (guests), H (host)",
			bad);
	case -EOPNOTSUPP:
		return option_wrong(
			verb,
			"--event: '%s': a timer cannot tell modes: its interrupt sees the host alone; leave the modifiers out",
			bad);
	default:
		option_wrong(verb, "unknown event '%s'; known are:", bad);
		events_print_known(stderr, "  ");
		return false;
	}
}

/* perf's limit, which the kernel lowers when handlers are slow. */
static bool take_max_freq(uint64_t *freq, const char *verb)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	char text[32];

	if (proc_file_line(path, text, sizeof(text)) <= 0)
		return option_wrong(verb, "--freq=max: cannot read %s", path);
	*freq = strtoull(text, NULL, 10);
	if (*freq > MAX_FREQ)
		*freq = MAX_FREQ;
	return *freq ||
	       option_wrong(verb, "--freq=max: %s is '%s'", path, text);
}

static bool take_freq(void *to, const char *verb, char *arg)
{
	uint64_t *freq = to;
	char *end;

	if (!strcmp(arg, "max"))
		return take_max_freq(freq, verb);
	errno = 0;
	*freq = strtoull(arg, &end, 10);
	return (!errno && !*end && *arg >= '0' && *arg <= '9' && *freq &&
		*freq <= MAX_FREQ) ||
	       option_wrong(
		       verb,
		       "--freq wants a whole number from 1 to %d, or max, not '%s'",
		       MAX_FREQ, arg);
}

static bool take_bundle(void *to, const char *verb, char *arg)
{
	struct record_options *opts = to;

	return take_bundle_option(opts->bundles, &opts->nr_bundles, verb,
				  "guest-bundle", arg);
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

/* The rule for the guest that text begins with, "NAME="; NULL: with a message. */
static struct collect_rule *add_rule(struct record_options *opts,
				     const char *verb, char *text, bool ssh)
{
	struct collect_rule *r = opts->rules;

	*strchr(text, '=') = '\0';
	for (; r < opts->rules + opts->nr_rules; r++) {
		if (strcmp(r->name, text) || ssh != !!r->ssh)
			continue;
		option_wrong(verb, "--%s is given twice for '%s'",
			     ssh ? "ssh" : "transport", text);
		return NULL;
	}
	if (opts->nr_rules == RECORD_MAX_RULES) {
		option_wrong(verb, "more than %d guests named",
			     RECORD_MAX_RULES);
		return NULL;
	}
	opts->nr_rules++;
	r->name = text;
	return r;
}

static bool take_transport(void *to, const char *verb, char *arg)
{
	struct record_options *opts = to;
	char *equals = strchr(arg, '=');
	struct collect_rule *r;
	uint32_t ways;

	if (equals == arg || !parse_ways(equals ? equals + 1 : arg, &ways))
		return option_wrong(
			verb,
			"--transport wants agent, libvirt, vsock, ssh or none, or NAME= one of them, not '%s'",
			arg);
	if (!equals) {
		opts->transports = ways;
		return opts->have_transports++ == 0 ||
		       option_wrong(
			       verb,
			       "--transport is given twice for all guests");
	}
	r = add_rule(opts, verb, arg, false);
	if (r) {
		r->forced = true;
		r->allow = ways;
	}
	return r;
}

static bool take_ssh(void *to, const char *verb, char *arg)
{
	char *equals = strchr(arg, '=');
	struct collect_rule *r;

	/* ssh would take it for an option of its own */
	if (!equals || equals == arg || !equals[1] || equals[1] == '-')
		return option_wrong(
			verb, "--ssh wants NAME=user@host, not '%s'", arg);
	r = add_rule(to, verb, arg, true);
	if (r)
		r->ssh = equals + 1;
	return r;
}

/* A part of a CPU's time in percent, to parts per million. */
static bool take_overhead(void *to, const char *verb, char *arg)
{
	uint32_t *ppm = to;
	double percent = 0;
	const char *end = option_decimal(arg, &percent);

	*ppm = percent >= 0.01 && percent <= 50 ? percent * 10000 + 0.5 : 0;
	return (end && !end[*end == '%'] && *ppm) ||
	       option_wrong(
		       verb,
		       "--max-overhead wants a percentage from 0.01 to 50, e.g. 1%%, not '%s'",
		       arg);
}

#define AT(member) .at = offsetof(struct record_options, member)

const struct option_spec record_sampling[] = {
	{ 'C', "cpu", "LIST", "these CPUs only, e.g. 0-3,8", OPTION_OTHER,
	  .take = take_cpus },
	{ 'e', "event", "EVENT[,EVENT...]",
	  "what to count; `vmmprof record --help` lists them (default: ref-cycles; cycles, then cpu-clock, where there is none); behind a name :u, :k, :G, :H for user or kernel mode, guests or host only",
	  OPTION_OTHER, .take = take_events, .word = event_name },
	{ 'c', "count", "N", "sample every N events; cpu-clock: every N ns",
	  OPTION_LARGE, AT(rate.period), .min = 1, .max = 1ull << 62 },
	{ 'F', "freq", "HZ",
	  "sample HZ times a second instead, or as often as the kernel allows: max (default: every 997 us of running time; agent: 19 times a second)",
	  OPTION_OTHER, AT(rate.freq), .take = take_freq, .words = "max" },
	{ 'm', "mmap-size", "SIZE",
	  "ring buffer of each CPU, e.g. 512K, 4M (default: 5 s of samples fit)",
	  OPTION_OTHER, AT(ring_size), .take = take_ring,
	  .perf = "perf's -m counts pages" },
	{ 0, "no-switches", NULL,
	  "no records of when vCPUs' threads get and leave a CPU: steal and halt are then told from samples alone (top, agent: not at all)",
	  OPTION_FLAG, AT(no_switches) },
	{ 0, "force-pmu", NULL,
	  "hardware events although KVM's mediated vPMU is on; VMs that want a vPMU then fail to start",
	  OPTION_FLAG, AT(force_pmu) },
	{ 0 },
};

const struct option_spec record_ceiling[] = {
	{ 0, "max-overhead", "PERCENT",
	  "where samples take more of a CPU's time, they become rarer from then on",
	  OPTION_OTHER, AT(max_overhead), .take = take_overhead },
	{ 0 },
};

const struct option_spec record_guests[] = {
	{ 0, "transport", "[NAME=]LIST",
	  "ways into guests, or into the VM NAME, that may be used: agent (QEMU's guest agent), libvirt (the same where libvirt holds its socket), vsock, ssh, or none (default: all)",
	  OPTION_OTHER, .take = take_transport, .repeats = true,
	  .words = "agent libvirt vsock ssh none", .value = VALUE_GUEST_WORDS },
	{ 0, "ssh", "NAME=USER@HOST",
	  "how to reach the VM NAME by ssh, as root", OPTION_OTHER,
	  .take = take_ssh, .repeats = true, .value = VALUE_GUEST_WORDS },
	{ 0, "guest-timeout", "SECONDS",
	  "how long a guest may take to begin (default: 20); its bundle may take three times that",
	  OPTION_SECONDS, AT(guest_timeout_ns), .min = MIN_SECONDS,
	  .max = MAX_TIMEOUT },
	{ 0, "guest-program", "FILE",
	  "vmmprof-guest, which is sent to the guests (default: beside vmmprof, or in ../libexec/vmmprof)",
	  OPTION_TEXT, AT(guest_program), .value = VALUE_FILE },
	{ 0, "identity", "HOW",
	  "who runs in a guest: auto (read from its memory where that can be, else by its bundle), or bundle (by that alone)",
	  OPTION_OTHER, AT(identity_bundle), .take = record_take_identity,
	  .words = "auto bundle" },
	{ 0, "no-guest-memory", NULL,
	  "nothing is read of guests' memory: not who runs there, not their kernels, processes and call chains",
	  OPTION_FLAG, AT(no_guest_memory) },
	{ 'N', "no-buildid-cache", NULL,
	  "guests send all symbols; nothing is taken from the cache of `vmmprof guests --cache`, or put there",
	  OPTION_FLAG, AT(no_cache) },
	{ 0 },
};

const struct option_spec record_chains[] = {
	{ 'g', "callchains", NULL,
	  "call chains of samples, of the host and of guests, in user mode by frame pointers: --call-graph=fp",
	  OPTION_FLAG, AT(graph) },
	{ 0, "call-graph", "HOW",
	  "whose call chains, and how: fp (the host's and guests'), dwarf[,SIZE] (the same, and copies of user stacks, SIZE bytes each, 8192 if not given), host, guest (as fp)",
	  OPTION_OTHER, .take = record_take_call_graph,
	  .words = "fp dwarf host guest" },
	{ 0, "max-stack", "N",
	  "frames of a chain's kernel part and of its user part, at most (default: 127)",
	  OPTION_NUMBER, AT(max_stack), .min = 1, .max = VMMPROF_CHAIN_DEPTH },
	{ 0 },
};

static const struct option_spec own[] = {
	{ 'a', "all-cpus", NULL, "all CPUs (default)", OPTION_FLAG,
	  AT(all_cpus) },
	{ 'd', "duration", "SECONDS", "stop after that; fractions are allowed",
	  OPTION_SECONDS, AT(duration_ns), .min = MIN_SECONDS,
	  .max = MAX_SECONDS, .perf = "perf's -d records addresses of data" },
	{ 'o', "output", "DIR", "the session (default: vmmprof.data)",
	  OPTION_TEXT, AT(dir), .value = VALUE_SESSION },
	{ 0, "force", NULL, "replace DIR if it is an old session", OPTION_FLAG,
	  AT(force) },
	{ 0, "guest-bundle", "NAME=FILE",
	  "keep this bundle of vmmprof-guest for the VM NAME (a name or pid of `vmmprof guests`); FILE is read at the end and need not be there before",
	  OPTION_OTHER, .take = take_bundle, .repeats = true,
	  .value = VALUE_GUEST_FILE },
	{ 0, "exits", NULL,
	  "count VM exits and their time by vCPU and reason, for `vmmprof exits`",
	  OPTION_FLAG, AT(exits) },
	{ 0, "no-code", NULL,
	  "guests send no code of their hot functions: then `vmmprof annotate` needs their files",
	  OPTION_FLAG, AT(no_code) },
	{ 0, "no-drain", NULL,
	  "empty the rings only at the end: for measuring what sampling itself costs",
	  OPTION_FLAG, AT(no_drain) },
	{ 'q', "quiet", NULL, "print warnings and errors only", OPTION_FLAG,
	  AT(quiet) },
	{ 'v', "verbose", NULL, "say more", OPTION_FLAG, AT(verbose) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ own, 0 },
	{ record_chains, 0 },
	{ record_sampling, 0 },
	{ record_ceiling, 0 },
	{ record_guests, 0 },
	{ 0 },
};

static const struct option_rule rules[] = {
	RECORD_RULES,
	{ "all-cpus cpu", ONE_OF, NULL, "it is all, or some" },
	{ "duration", NOT_WITH, "COMMAND",
	  "the recording ends with the command" },
	{ "quiet verbose", ONE_OF, NULL, "it is less, or more" },
	{ "no-code", NOT_WITH, "transport=none", "no guest is asked" },
	{ 0 },
};

static void more(FILE *out)
{
	fputs("Events, by perf's names:\n", out);
	events_print_known(out, "  ");
	fputs("All that runs on the CPUs is sampled,\n"
	      "because thieves are found so: report chooses a process (-p) or a VM (--vm).\n",
	      out);
}

const struct options record_options = {
	.verb = "record",
	.forms = (const char *const[]){ "[OPTIONS] [-- COMMAND [ARGUMENT]...]",
					NULL },
	.about = "Samples the host and its guests until COMMAND ends, -d is over, or Ctrl-C,\n"
		 "and writes a session directory.",
	.groups = groups,
	.rules = rules,
	.operand = { "COMMAND", .command = true, AT(command) },
	.more = more,
};

void record_defaults(struct record_options *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->dir = "vmmprof.data";
	opts->transports = ~0u;
	opts->max_stack = VMMPROF_CHAIN_DEPTH;
	opts->guest_timeout_ns = DEFAULT_TIMEOUT * 1000000000ull;
}

/* May ssh be used for the guest that it is given for? */
static bool ssh_allowed(const struct record_options *opts, const char *name)
{
	uint32_t allow = opts->transports;
	unsigned int i;

	for (i = 0; i < opts->nr_rules; i++)
		if (opts->rules[i].forced && !strcmp(opts->rules[i].name, name))
			allow = opts->rules[i].allow;
	return allow & 1u << VMMPROF_REACH_SSH;
}

int record_check(const struct options *o, const struct record_options *opts)
{
	bool hardware = !opts->have_events;
	unsigned int i;

	for (i = 0; i < opts->events.nr; i++)
		hardware |= event_is_hardware(&opts->events.choice[i].event);
	if (opts->force_pmu && !hardware)
		return options_wrong(
			o,
			"--force-pmu has no effect with --event: it has no hardware event; leave one of them out");
	for (i = 0; i < opts->nr_rules; i++) {
		const struct collect_rule *r = &opts->rules[i];

		if (r->ssh && !ssh_allowed(opts, r->name))
			return options_wrong(
				o,
				"--ssh of '%s' has no effect with --transport: ssh is not among its ways; name it there, or leave --ssh out",
				r->name);
	}
	return OPTIONS_GO_ON;
}

int record_parse_options(int argc, char **argv, struct record_options *opts)
{
	int ret;

	record_defaults(opts);
	ret = options_parse(&record_options, opts, argc, argv);
	if (ret != OPTIONS_GO_ON)
		return ret;
	if (!*opts->command)
		opts->command = NULL;
	if (!*opts->dir)
		return options_wrong(&record_options,
				     "--output wants a directory");
	return record_check(&record_options, opts);
}
