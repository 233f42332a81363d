/* SPDX-License-Identifier: GPL-2.0-only */
/* AMD SVM as one of the vendors. */
#ifndef VMMPROF_SVM_H
#define VMMPROF_SVM_H

#include "guest_state.h"

extern const struct vmmprof_guest_ops vmmprof_svm_ops;

/* The CPU has SVM.  Context: module init. */
bool vmmprof_svm_usable(void);

#endif /* VMMPROF_SVM_H */
