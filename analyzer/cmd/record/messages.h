/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of `vmmprof record`: why something did not work and what to do, and
 * at the end what was sampled.  All go to stderr, because stdout is the
 * measured command's.
 */
#ifndef CMD_RECORD_MESSAGES_H
#define CMD_RECORD_MESSAGES_H

#include <stdint.h>

#include "base/error.h"
#include "host/device.h"
#include "host/kvm_layout.h"
#include "cmd/record/options.h"
#include "cmd/record/say.h"

/* The same for an error, with a line for each hint. */
void record_say_error(const struct error *e);

/* Prints that a part of the session @dir could not be written. */
void record_say_unwritten(const char *dir, int err);

/* Prints that the file @name of the session @dir is not on the disk. */
void record_say_unsynced(const char *dir, const char *name, int err);

/* err: -errno of writing what the module has of that CPU. */
void record_say_records(unsigned int cpu, int err);

/* Warns if the kernel does not let the module find guests. */
void record_say_guests(const struct vmmprof_info *info);

/* The result of comparing the module's KVM layout with the running kvm's. */
void record_say_layout(const struct record_options *opts, enum layout_verdict v,
		       const char *text);

/* The same of a KVM that was loaded while the host was sampled. */
void record_say_kvm(const struct record_options *opts, enum layout_verdict v,
		    const char *text);

/* err: -errno of the module for VMMPROF_SETUP_F_SWITCHES. */
void record_say_no_switches(int err);

/* why: VM exits cannot be counted. */
void record_say_no_exits(const char *why);
void record_say_no_chains(void);

/* How the session's events are counted, e.g. "ref-cycles, hardware". */
void record_trigger_text(const struct event_list *events, char *buf,
			 size_t size);

/* Warns about events of one CPU that did not count, or not all the time. */
void record_say_events(const struct vmmprof_cpu_stat *stat,
		       const struct event_list *events);

/*
 * One line a CPU and the sums.  switches: switch records in the files; names:
 * those left out, which only say who took steal.
 */
void record_say_summary(const struct record_options *opts,
			const struct event_list *events,
			const struct vmmprof_cpu_stat *stats, unsigned int nr,
			uint64_t switches, uint64_t names, uint64_t chains,
			double seconds);

#endif /* CMD_RECORD_MESSAGES_H */
