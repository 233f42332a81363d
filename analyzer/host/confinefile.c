// SPDX-License-Identifier: GPL-2.0-only
/* How the recorder's parser of mapped files is confined. */

#include "confine.h"
#include "fileparser.h"

int vmmprof_fileparser_confine(void)
{
	return vmmprof_confine();
}
