/* SPDX-License-Identifier: GPL-2.0-only */
/* What a vCPU had its CPU for, as its own sample says: enum on_cpu. */
#ifndef MODEL_SAMPLE_CLASS_H
#define MODEL_SAMPLE_CLASS_H

#include "model/resolve_parts.h"
#include "model/track.h"

static inline unsigned int track_class(const struct bucket_key *key,
				       bool loaded, enum sample_irq irq)
{
	if (!key->guest)
		return track_host_class(key, loaded, irq);
	if (key->mode == MODE_KERNEL)
		return ON_GUEST_KERNEL;
	return key->mode == MODE_USER ? ON_GUEST_USER : ON_GUEST_OTHER;
}

/* That of a sample with this context, which remembers it. */
static inline unsigned int sample_class(struct context *c,
					const struct vmmprof_rec_sample *s)
{
	const enum sample_irq irq = sample_irq(s);

	if (!c->class[irq])
		c->class[irq] = 1 + track_class(&c->key,
						s->hdr.flags & VMMPROF_S_VCPU,
						irq);
	return c->class[irq] - 1;
}

#endif /* MODEL_SAMPLE_CLASS_H */
