// SPDX-License-Identifier: GPL-2.0-only

#include "cmd/push/api.h"

const struct push_api push_apis[] = {
	{ "/push.v1.PusherService/Push", "application/proto",
	  "Connect-Protocol-Version: 1", false, window_request, NULL },
	{ "/api/profiles/writeraw", "application/json", NULL, false,
	  parca_request, NULL },
	{ "/v1development/profiles", "application/x-protobuf",
	  "Content-Encoding: gzip", true, otlp_request, otlp_refused },
};
