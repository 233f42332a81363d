/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of chains by their ids, of one CPU: a chain that is met again has its
 * id alone in the session.  Memory is bounded: beyond it the data that was not
 * used for longest is forgotten, and a chain that still refers to it is broken.
 */
#ifndef MODEL_CHAIN_IDS_H
#define MODEL_CHAIN_IDS_H

#include <stddef.h>

#include <vmmprof/record.h>

#define CHAIN_IDS	4096	      /* of a CPU: more than the module keeps */
#define CHAIN_IDS_BYTES (128ul << 20) /* of all CPUs together */

struct chain_id {
	struct vmmprof_rec_chain head;
	void *data;
	size_t size, cap;
	__u32 same;	    /* the next one in its bucket */
	__u32 newer, older; /* by their last use; VMMPROF_NONE: none */
};

/* Zeroed, it is empty but for .bytes, which is of all CPUs. */
struct chain_ids {
	struct chain_id *ids;
	size_t nr;
	__u32 *buckets;
	__u32 newest, oldest;
	size_t *bytes;
};

/*
 * Keep the data of an id, of which head has the counts.  Data that is larger
 * than all the room there is, is not kept.  0 or -ENOMEM.
 */
int chain_ids_put(struct chain_ids *c, const struct vmmprof_rec_chain *head,
		  const void *data, size_t size);

/* That of the id with the counts in head; NULL: it is not known. */
const struct chain_id *chain_ids_get(struct chain_ids *c,
				     const struct vmmprof_rec_chain *head);

void chain_ids_deinit(struct chain_ids *c);

/* Bytes of the data of a chain: its words and its stack. */
static inline size_t chain_data_size(const struct vmmprof_rec_chain *head)
{
	return 8ul * (head->nr_kernel + head->nr_user) + head->stack_size;
}

#endif /* MODEL_CHAIN_IDS_H */
