/* trees_release.h -- frees the arrays of an input of cbt that belongs to no gb_input_begin(). */
#ifndef GPUBENCH_TESTS_TREES_RELEASE_H
#define GPUBENCH_TESTS_TREES_RELEASE_H

#include "common/cbt_types.h"
#include "common/memory.h"

static inline void trees_release(struct cbt_input *in)
{
	for (size_t f = 0; in->frame && f < in->frames; f++) {
		gb_host_free(in->frame[f].split);
		gb_host_free(in->frame[f].merge);
	}
	gb_host_free(in->frame);
	gb_host_free(in->end_field);
	gb_host_free(in->heap);
	gb_host_free(in->field);
	*in = (struct cbt_input){ 0 };
}

#endif
