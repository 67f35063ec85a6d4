/* writer.h -- numbers of a few bits each, one behind the other into words. */
#ifndef GPUBENCH_CPU_CBT_PARTS_WRITER_H
#define GPUBENCH_CPU_CBT_PARTS_WRITER_H

#include "cpu/cbt/parts/tree.h"

struct cbt_writer {
	uint64_t word; /* the lowest `used` bits are taken */
	unsigned used; /* < 64 */
	uint64_t *to;
};

/* value < 2^bits, bits 1 .. 64. */
CBT_ALWAYS void cbt_append(struct cbt_writer *w, uint64_t value, unsigned bits)
{
	w->word |= value << w->used;
	w->used += bits;
	if (w->used < 64)
		return;
	*w->to++ = w->word;
	w->used -= 64;
	w->word = w->used ? value >> (bits - w->used) : 0;
}

/* The last word, its other bits 0. */
CBT_ALWAYS void cbt_append_end(const struct cbt_writer *w)
{
	if (w->used)
		*w->to = w->word;
}

#endif
