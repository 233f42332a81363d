// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport/agent_call.h"
#include "transport/channel.h"

int agent_call(struct agent_talk *a, const char *command, json_t *arguments,
	       json_t **ret)
{
	json_t *request, *reply = NULL, *value;
	char *text, *line = NULL;
	json_error_t where;
	int err;

	request = arguments ? json_pack("{s:s, s:o}", "execute", command,
					"arguments", arguments) :
			      json_pack("{s:s}", "execute", command);
	text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	json_decref(request);
	if (!text)
		return channel_fail(a->c, -ENOMEM, "no memory");
	a->c->sent += strlen(text);
	err = a->ask(a, text, &line);
	free(text);
	if (err)
		return err;
	a->c->received += strlen(line);
	reply = json_loads(line, 0, &where);
	free(line);
	if (!json_is_object(reply)) {
		json_decref(reply);
		return channel_fail(a->c, -EBADMSG,
				    "%s: the agent's answer is not JSON",
				    command);
	}
	value = json_object_get(json_object_get(reply, "error"), "desc");
	if (json_object_get(reply, "error")) {
		err = channel_fail(a->c, -EREMOTEIO, "the agent refused %s: %s",
				   command,
				   json_is_string(value) ?
					   json_string_value(value) :
					   "no reason given");
		json_decref(reply);
		return err;
	}
	*ret = json_incref(json_object_get(reply, "return"));
	json_decref(reply);
	if (*ret)
		return 0;
	return channel_fail(a->c, -EBADMSG,
			    "%s: the agent's answer has no result", command);
}
