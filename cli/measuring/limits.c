#include "cli/measuring/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/workloads/value.h"
#include "common/text.h"

/* One point of one variant that did not fit. */
struct gb_limit {
	const struct gb_workload *workload;
	const struct gb_variant *variant;
	void *params; /* owned */
};

enum gb_status gb_limits_add(struct gb_limits *limits, const struct gb_workload *workload,
			     const struct gb_variant *variant, const void *params,
			     struct gb_error *err)
{
	void *copy = malloc(workload->params_size);

	if (limits->count == limits->room) {
		const size_t room = limits->room ? 2 * limits->room : 16;
		struct gb_limit *grown = reallocarray(limits->item, room, sizeof *grown);

		if (grown) {
			limits->item = grown;
			limits->room = room;
		}
	}
	if (!copy || limits->count == limits->room) {
		free(copy);
		return gb_out_of_memory(err, NULL);
	}
	memcpy(copy, params, workload->params_size);
	limits->item[limits->count++] = (struct gb_limit){ workload, variant, copy };
	return GB_OK;
}

static bool same(const struct gb_param *param, union gb_value a, union gb_value b)
{
	if (param->type == GB_FLOAT)
		return a.f >= b.f && a.f <= b.f;
	if (param->type == GB_PATH)
		return a.s == b.s || (a.s && b.s && gb_equal(a.s, b.s));
	return a.i == b.i;
}

/* A size of 0 is the input's own: nothing is known to be above it. */
static bool is_above(const struct gb_workload *workload, const void *limit, const void *params)
{
	bool larger = false;

	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *param = &workload->params[i];
		const union gb_value low = gb_value_load(param, limit);
		const union gb_value high = gb_value_load(param, params);

		if (same(param, low, high))
			continue;
		if (!param->size || low.i == 0 || low.i > high.i)
			return false;
		larger = true;
	}
	return larger;
}

/* "count=1000000", the sizes of the point. */
static void name_sizes(const struct gb_limit *limit, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < limit->workload->param_count; i++) {
		const struct gb_param *param = &limit->workload->params[i];
		const size_t used = strlen(text);
		char value[64];

		if (!param->size || gb_value_load(param, limit->params).i == 0)
			continue;
		gb_param_text(param, limit->params, value, sizeof value);
		(void)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", param->name,
			       value);
	}
}

bool gb_limits_exceeded(const struct gb_limits *limits, const struct gb_workload *workload,
			const struct gb_variant *variant, const void *params, char *why,
			size_t size)
{
	for (size_t i = 0; i < limits->count; i++) {
		const struct gb_limit *limit = &limits->item[i];
		char sizes[256];

		if (limit->variant != variant || !is_above(workload, limit->params, params))
			continue;
		name_sizes(limit, sizes, sizeof sizes);
		(void)snprintf(why, size, "larger than %s, which did not fit", sizes);
		return true;
	}
	return false;
}

void gb_limits_release(struct gb_limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		free(limits->item[i].params);
	free(limits->item);
	*limits = (struct gb_limits){ 0 };
}
