/* frame.h -- applies a frame of splits and merges to the field, in chunks that threads share.
 *
 * Only its own thread changes a chunk's words.  Before any chunk changes, each looks up where the
 * leaves before and behind it start.  The one bit that a chunk may have to set outside its words,
 * or ahead of where it reads, is kept, and set when all chunks are done.
 */
#ifndef GPUBENCH_CPU_CBT_SHARED_FRAME_H
#define GPUBENCH_CPU_CBT_SHARED_FRAME_H

#include "cpu/cbt/shared/tree.h"

struct cbt_chunk {
	size_t first_word, end_word;
	uint64_t rank;   /* leaves before this chunk; set by the caller */
	uint64_t first;  /* bit of its first leaf; UINT64_MAX: none */
	uint64_t last;   /* bit of its last leaf */
	uint64_t behind; /* bit to set when all chunks are done; UINT64_MAX: none */
};

/* Cut a field of `words` words into `count` chunks, both powers of two. */
void cbt_chunks_cut(struct cbt_chunk *chunk, size_t count, size_t words);
/* Find a chunk's first and last leaf; call it for all chunks before any is changed. */
void cbt_chunk_look(const uint64_t *field, struct cbt_chunk *chunk);
/* Apply the frame to chunk number i. */
void cbt_chunk_change(enum cpu_simd simd, uint64_t *field, unsigned depth,
		      const struct cbt_frame *frame, struct cbt_chunk *chunk, size_t count,
		      size_t i);
/* Set the bits that chunks have kept; one thread calls it after all chunks. */
void cbt_chunks_finish(uint64_t *field, const struct cbt_chunk *chunk, size_t count);

#endif
