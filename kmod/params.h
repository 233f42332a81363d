/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters of other modules. */
#ifndef VMMPROF_PARAMS_H
#define VMMPROF_PARAMS_H

#include <linux/types.h>

/*
 * True if @module is there and its parameter @name reads @value ('Y' or 'N').
 * Context: process, may sleep.
 */
bool vmmprof_param_is(const char *module, const char *name, char value);

/*
 * KVM hands the whole PMU to guests (mediated vPMU, 7.x): while one of our
 * hardware events exists, creating a VM fails with EBUSY.
 * Context: process, may sleep.
 */
bool vmmprof_mediated_pmu(void);

#endif /* VMMPROF_PARAMS_H */
