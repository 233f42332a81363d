/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_DOCTOR_GUESTS_H
#define CMD_DOCTOR_GUESTS_H

#include "host/doctor/doctor.h"

/*
 * Adds the findings of guests: a line for all VMs that are alike, with the names of the
 * first of them.  Where memory lacks, d->error is set.
 */
void doctor_guests(struct doctor *d);

#endif /* CMD_DOCTOR_GUESTS_H */
