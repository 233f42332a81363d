// SPDX-License-Identifier: GPL-2.0-only
/* Whether a sum of recorded numbers was too large. */

#include "base/saturate.h"

bool saturated;
