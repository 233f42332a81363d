// SPDX-License-Identifier: GPL-2.0-only
/* Findings: whether vmmprof.ko is loaded, or what prevents loading it. */

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/device.h"
#include "host/doctor/doctor.h"
#include "host/kvm_layout.h"
#include <vmmprof/version.h>

static void loaded(struct doctor *d)
{
	char version[32], comm[32];
	int pid;

	doctor_line(d, "/sys/module/vmmprof/version", version, sizeof(version));
	if (strcmp(version, VMMPROF_VERSION))
		doctor_add(d, VMMPROF_FAIL, "module",
			   "rmmod vmmprof, make kmod, insmod vmmprof.ko",
			   "vmmprof.ko is version %s, this tool %s",
			   *version ? version : "unknown", VMMPROF_VERSION);
	else
		doctor_add(d, VMMPROF_FINE, "module", "",
			   "vmmprof.ko %s is loaded", version);
	if (!device_owner(d->root, &pid, comm, sizeof(comm)))
		doctor_add(d, VMMPROF_WARN, "device",
			   "wait for it: one recording at a time",
			   "in use by %s (PID %d)", comm, pid);
}

/* Was the module built for the layout of the kvm that runs? */
static void layout(struct doctor *d)
{
	struct device dev;
	char text[160];

	if (*d->root || device_open(VMMPROF_DEVICE, &dev, NULL))
		return; /* in use, or not allowed: told elsewhere */
	switch (kvm_layout_of_device(&dev, text, sizeof(text))) {
	case LAYOUT_SAME:
		doctor_add(d, VMMPROF_FINE, "kvm layout", "",
			   "vmmprof.ko was built for this kvm");
		break;
	case LAYOUT_DIFFERS:
		doctor_add(
			d, VMMPROF_WARN, "kvm layout",
			"build vmmprof.ko for this kernel and its kvm, rmmod vmmprof, insmod it",
			"no guests: %s", text);
		break;
	case LAYOUT_UNKNOWN:
	case LAYOUT_ABSENT:
		doctor_add(d, VMMPROF_FINE, "kvm layout", "",
			   "not verified: %s", text);
		break;
	}
	device_close(&dev);
}

static void headers(struct doctor *d)
{
	char path[256], remedy[256];
	struct utsname u;

	if (d->module || uname(&u))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/build", u.release);
	snprintf(remedy, sizeof(remedy), "apt install linux-headers-%s",
		 u.release);
	if (doctor_has(d, path))
		doctor_add(d, VMMPROF_FINE, "kernel headers", "", "%s", path);
	else
		doctor_add(d, VMMPROF_WARN, "kernel headers", remedy,
			   "none for %s: vmmprof.ko cannot be built here",
			   u.release);
}

/* "none [integrity] confidentiality": the one in brackets. */
static bool locked(const struct doctor *d, const char *how)
{
	char line[64], want[32];

	doctor_line(d, "/sys/kernel/security/lockdown", line, sizeof(line));
	snprintf(want, sizeof(want), "[%s]", how);
	return strstr(line, want);
}

static void signing(struct doctor *d)
{
	static const char remedy[] =
		"sign vmmprof.ko with a key that the kernel trusts (MOK: mokutil --import)";
	char line[16];
	const char *why = NULL;

	doctor_line(d, "/sys/module/module/parameters/sig_enforce", line,
		    sizeof(line));
	if (locked(d, "integrity") || locked(d, "confidentiality"))
		why = "lockdown (Secure Boot)";
	else if (*line == 'Y')
		why = "module.sig_enforce";
	if (why)
		doctor_add(d, d->module ? VMMPROF_FINE : VMMPROF_WARN,
			   "module signing", d->module ? "" : remedy,
			   "required by %s", why);
	else
		doctor_add(d, VMMPROF_FINE, "module signing", "",
			   "not required");
}

static void permission(struct doctor *d)
{
	if (!*d->root && geteuid())
		doctor_add(
			d, VMMPROF_WARN, "permission",
			"run as root, or with CAP_PERFMON and access to /dev/vmmprof",
			"not root: recording, and what is found here, may be incomplete");
	if (locked(d, "confidentiality"))
		doctor_add(
			d, VMMPROF_FAIL, "permission",
			"boot with lockdown=integrity, which Secure Boot has, too",
			"the kernel's lockdown forbids sampling, as perf's events");
}

/* What no file says: only samples of a guest of which all is known do. */
static void selftest(struct doctor *d)
{
	if (d->vmx || d->svm)
		doctor_add(
			d, VMMPROF_FINE, "selftest",
			"vmmprof selftest (half a minute, as root)",
			"whether samples of guests are right here can be tried");
}

void doctor_module(struct doctor *d)
{
	d->module = doctor_has(d, "/sys/module/vmmprof");
	if (d->module) {
		loaded(d);
		layout(d);
		selftest(d);
	} else {
		doctor_add(d, VMMPROF_FAIL, "module",
			   "make kmod && insmod vmmprof.ko",
			   "vmmprof.ko is not loaded");
	}
	headers(d);
	signing(d);
	permission(d);
}
