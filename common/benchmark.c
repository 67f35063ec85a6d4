/* benchmark.c -- metrics, and the lifetime of states and inputs. */
#include "common/benchmark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"

/* The index of a metric, which is added if it is new; GB_MAX_METRICS if there is no room. */
static size_t place(struct gb_metrics *metrics, const char *name)
{
	size_t i = 0;

	while (i < metrics->count && !gb_equal(metrics->item[i].name, name))
		i++;
	if (i < GB_MAX_METRICS) {
		metrics->item[i].name = name;
		metrics->count = i == metrics->count ? i + 1 : metrics->count;
	}
	return i;
}

void gb_metric(struct gb_metrics *metrics, const char *name, double value)
{
	const size_t i = place(metrics, name);

	if (i < GB_MAX_METRICS) {
		metrics->item[i].value = value;
		metrics->item[i].text[0] = '\0';
	}
}

void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash)
{
	const size_t i = place(metrics, name);

	if (i < GB_MAX_METRICS)
		(void)snprintf(metrics->item[i].text, sizeof metrics->item[i].text, "0x%016" PRIx64,
			       hash);
}

enum gb_status gb_state_create(const struct gb_variant_ops *ops, const void *params,
			       const void *input, void **state, struct gb_error *err)
{
	*state = calloc(1, ops->state_size);
	if (!*state)
		return gb_out_of_memory(err, NULL);
	gb_memory_own(*state);
	(void)ops->create(*state, params, input, err);
	gb_memory_own(NULL);
	return err->code;
}

enum gb_status gb_state_upload(const struct gb_variant_ops *ops, void *state, struct gb_error *err)
{
	if (!ops->upload)
		return GB_OK;
	gb_memory_own(state);
	(void)ops->upload(state, err);
	gb_memory_own(NULL);
	return err->code;
}

void gb_state_destroy(const struct gb_variant_ops *ops, void *state)
{
	if (!state)
		return;
	if (ops->destroy)
		ops->destroy(state);
	gb_memory_free_owned(state);
	free(state);
}

void *gb_input_begin(size_t size, struct gb_error *err)
{
	void *made = calloc(1, size);

	if (!made)
		gb_out_of_memory(err, NULL);
	gb_memory_own(made);
	return made;
}

enum gb_status gb_input_end(void *made, void **input, struct gb_error *err)
{
	gb_memory_own(NULL);
	if (err->code)
		gb_input_release(made);
	*input = err->code ? NULL : made;
	return err->code;
}

void gb_input_release(void *input)
{
	if (input)
		gb_memory_free_owned(input);
	free(input);
}
