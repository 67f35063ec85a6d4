/* steps.h -- copies that go step by step, one cost of a GPU per step (parts/steps.cu). */
#ifndef GPUBENCH_CUDA_STREAM_PARTS_STEPS_H
#define GPUBENCH_CUDA_STREAM_PARTS_STEPS_H

#include "common/stream.h"
#include "cuda/variant.h"

struct stream_slot;

/* The input is read as `steps` words of 4 bytes. */
struct stream_steps {
	uint32_t *from, *to;                    /* steps each */
	struct stream_slot *slots, *host_slots; /* STREAM_LATENCY: steps / 2 each */
	uint32_t *state; /* two words: the barrier's, 0 between runs; the baton, or the next step */
	unsigned blocks; /* STREAM_BARRIER */
	uint32_t steps;
	enum stream_op op;
};

/* GB_EUNAVAILABLE if `bytes` bytes are too many steps. */
enum gb_status stream_steps_create(struct stream_steps *s, enum stream_op op, size_t bytes,
				   struct gb_error *err);
/* words: two steps each. */
enum gb_status stream_steps_upload(struct stream_steps *s, const uint64_t *words,
				   struct gb_error *err);
enum gb_status stream_steps_run(struct stream_steps *s, struct gb_error *err);

#endif
