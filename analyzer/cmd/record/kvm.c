// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM that is loaded while `vmmprof record` samples.  The module reads nothing
 * of its structures until their layout was compared, because the kvm.ko may be
 * another one than when the recording began.
 */

#include "cmd/record/messages.h"
#include "cmd/record/recording.h"

void record_look_at_kvm(struct recording *r)
{
	enum layout_verdict v;
	char text[256];
	__u64 loads;

	/* without guests from the beginning, it stays so */
	if (r->layout == LAYOUT_DIFFERS || device_kvm_loads(&r->dev, &loads) ||
	    loads == r->kvm_loads)
		return;
	v = kvm_layout_of_device(&r->dev, text, sizeof(text));
	/* not there yet, or gone; or another one by now: at the next tick */
	if (v == LAYOUT_ABSENT ||
	    (v != LAYOUT_DIFFERS && device_use_kvm(&r->dev, loads)))
		return;
	r->kvm_loads = loads;
	record_say_kvm(r->opts, v, text);
	if (v == LAYOUT_DIFFERS)
		item_note(
			&r->out.info,
			"no guests of the KVM that was loaded meanwhile: the module was built for another kvm: %s",
			text);
	else
		item_note(
			&r->out.info,
			"KVM was loaded meanwhile; its layout was%s compared%s%s",
			v == LAYOUT_SAME ? "" : " not",
			v == LAYOUT_SAME ? "" : ": ", text);
}
