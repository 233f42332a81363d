// SPDX-License-Identifier: GPL-2.0-only
/* How helpers of the analyzer give up their rights. */

#include "sandbox/confine.h"
#include "sandbox/helper.h"

int helper_give_up(void)
{
	return confine_self();
}
