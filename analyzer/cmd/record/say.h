/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of `vmmprof record` and `vmmprof top` on stderr. */
#ifndef CMD_RECORD_SAY_H
#define CMD_RECORD_SAY_H

#include <stdbool.h>

/* "vmmprof record: " and a line. */
void record_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The verb in those lines, "record" at first.  name is the caller's. */
void record_say_verb(const char *name);
const char *record_verb(void);

/* While a screen is shown: keep lines (the first 8 KiB) until it ends. */
void record_say_hold(bool hold);

#endif /* CMD_RECORD_SAY_H */
