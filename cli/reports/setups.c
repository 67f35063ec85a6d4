#include "cli/reports/setups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

/* Where a part is found. */
enum place { OF_RECORD, OF_RUN, OF_GPU, OF_CLOCK };

/* Clocks that were measured are never the same. */
static const double CLOCK_SHARE = 0.05;

/* Version and commit are left out: they are what is compared. */
static const struct {
	const char *name, *path;
	enum place place;
	const char *backend; /* whose times depend on it; "gpu": of all but cpu; NULL: all */
	bool refused;
} parts[] = {
	{ "cache mode", "cold", OF_RECORD, NULL, true },
	{ "CPU", "host.cpu", OF_RUN, "cpu", true },
	{ "GPU", "name", OF_GPU, "gpu", true },
	{ "library", "library", OF_RECORD, NULL, false },
	{ "host", "host.hostname", OF_RUN, NULL, false },
	{ "CPUs usable", "host.usable_cpus", OF_RUN, "cpu", false },
	{ "CPU quota", "host.cpu_quota", OF_RUN, "cpu", false },
	{ "governor", "host.governor", OF_RUN, "cpu", false },
	{ "turbo", "host.turbo", OF_RUN, "cpu", false },
	{ "huge pages", "host.huge_pages", OF_RUN, "cpu", false },
	{ "kernel", "host.kernel", OF_RUN, NULL, false },
	{ "GPU uuid", "uuid", OF_GPU, "gpu", false },
	{ "driver", "cuda.driver", OF_RUN, "cuda", false },
	{ "Vulkan driver", "vulkan.driver", OF_GPU, "vulkan", false },
	{ "CUDA runtime", "cuda.runtime", OF_RUN, "cuda", false },
	{ "SM clock limit in kHz", "sm_clock_khz", OF_GPU, "gpu", false },
	{ "memory clock in kHz", "memory_clock_khz", OF_GPU, "gpu", false },
	{ "SM clock in Hz", "gpu_state.sm_clock_hz", OF_CLOCK, "gpu", false },
	{ "power limit in W", "power_limit_w", OF_GPU, "gpu", false },
	{ "ECC", "ecc", OF_GPU, "gpu", false },
	{ "MIG", "mig", OF_GPU, "gpu", false },
	{ "build", "tool.mode", OF_RUN, NULL, false },
	{ "compiler", "tool.compiler", OF_RUN, NULL, false },
	{ "compiler flags", "tool.cflags", OF_RUN, NULL, false },
	{ "nvcc", "tool.nvcc", OF_RUN, "cuda", false },
	{ "architectures", "tool.archs", OF_RUN, "cuda", false },
	{ "environment", "environment", OF_RUN, NULL, false },
	{ "--samples", "settings.samples", OF_RUN, NULL, false },
	{ "--warmup", "settings.warmup", OF_RUN, NULL, false },
	{ "--min-samples", "settings.min_samples", OF_RUN, NULL, false },
	{ "--max-time", "settings.max_time_s", OF_RUN, NULL, false },
	{ "--rel-ci", "settings.rel_ci", OF_RUN, NULL, false },
	{ "--timeout", "settings.timeout_s", OF_RUN, NULL, false },
	{ "--verify=all", "settings.verify_all", OF_RUN, NULL, false },
};
_Static_assert(GB_COUNT(parts) <= GB_SETUP_PARTS, "room for each part");

enum gb_status gb_setups_init(struct gb_setups *setups, const struct gb_records *base,
			      const struct gb_records *new_, struct gb_error *err)
{
	struct gb_setups *s = setups;

	*s = (struct gb_setups){ .count = GB_COUNT(parts) };
	for (size_t i = 0; i < s->count; i++) {
		s->part[i].name = parts[i].name;
		s->part[i].refused = parts[i].refused;
	}
	if (gb_runs_add(&s->runs, base, err))
		return err->code;
	return gb_runs_add(&s->runs, new_, err);
}

void gb_setups_release(struct gb_setups *setups)
{
	gb_runs_release(&setups->runs);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* Whether times of the back end depend on a part that is of those of `of`. */
static bool depends(const char *of, const char *backend)
{
	return !of || gb_equal(of, backend) || (gb_equal(of, "gpu") && !gb_equal(backend, "cpu"));
}

/* What the record tells of the part; NULL: nothing. */
static const cJSON *item_of(size_t part, const struct gb_record *record, const struct gb_run *run)
{
	const char *backend = record->backend;
	const cJSON *item;

	if (backend && !depends(parts[part].backend, backend))
		return NULL;
	switch (parts[part].place) {
	case OF_RECORD:
		item = gb_json_at(record, parts[part].path);
		break;
	case OF_GPU:
		item = gb_json_at(gb_setup_gpu(run), parts[part].path);
		break;
	case OF_CLOCK: /* of the sample in the middle */
		item = gb_json_at(record, parts[part].path);
		item = item ? cJSON_GetArrayItem(item, cJSON_GetArraySize(item) / 2) : NULL;
		break;
	case OF_RUN:
	default:
		item = gb_json_at(run, parts[part].path);
		break;
	}
	return cJSON_IsNull(item) ? NULL : item;
}

static bool is_same(size_t part, const struct gb_record *a, const struct gb_record *b)
{
	if (parts[part].place == OF_CLOCK)
		return fabs(a->valuedouble / b->valuedouble - 1) <= CLOCK_SHARE;
	return cJSON_Compare(a, b, true);
}

static bool has_value(size_t part, const struct gb_setup_values *values, const cJSON *item)
{
	for (size_t i = 0; i < values->count && i < GB_SETUP_VALUES; i++)
		if (is_same(part, values->value[i], item))
			return true;
	return false;
}

static void add_value(size_t part, struct gb_setup_values *values, const cJSON *item)
{
	if (has_value(part, values, item))
		return;
	if (values->count < GB_SETUP_VALUES)
		values->value[values->count] = item;
	values->count++;
}

void gb_setups_add(struct gb_setups *setups, const struct gb_record *record, bool is_new)
{
	const struct gb_run *run = gb_runs_find(&setups->runs, record);

	for (size_t i = 0; i < setups->count; i++) {
		struct gb_setup_part *part = &setups->part[i];
		const cJSON *item = item_of(i, record, run);

		if (item)
			add_value(i, is_new ? &part->key_new : &part->key_base, item);
	}
}

/* Take the values of the key over. */
static void move_values(size_t part, struct gb_setup_values *to, struct gb_setup_values *from,
			bool keep)
{
	for (size_t i = 0; keep && i < from->count && i < GB_SETUP_VALUES; i++)
		add_value(part, to, from->value[i]);
	from->count = 0;
}

void gb_setups_end_key(struct gb_setups *setups)
{
	for (size_t i = 0; i < setups->count; i++) {
		struct gb_setup_part *part = &setups->part[i];
		const struct gb_setup_values *base = &part->key_base, *other = &part->key_new;
		const bool differs = base->count > 1 || other->count > 1 ||
				     (base->count && other->count &&
				      !is_same(i, base->value[0], other->value[0]));

		part->differs = part->differs || differs;
		move_values(i, &part->base, &part->key_base, differs);
		move_values(i, &part->new_, &part->key_new, differs);
	}
}

const struct gb_setup_part *gb_setups_refused(const struct gb_setups *setups)
{
	for (size_t i = 0; i < setups->count; i++)
		if (setups->part[i].refused && setups->part[i].differs)
			return &setups->part[i];
	return NULL;
}

/* ---- as text ------------------------------------------------------------------------------ */

/* "NAME=VALUE NAME=VALUE" of an object, or the value in a few words. */
static void value_text(const cJSON *item, char *text, size_t size)
{
	const cJSON *member;
	size_t n = 0;

	(void)snprintf(text, size, "none");
	if (cJSON_IsBool(item) && item->string && gb_equal(item->string, "cold"))
		(void)snprintf(text, size, "%s", cJSON_IsTrue(item) ? "cold" : "hot");
	else if (!cJSON_IsObject(item))
		(void)gb_setup_words(item, text, size);
	cJSON_ArrayForEach(member, item)
	{
		char words[128];
		const int length =
			snprintf(text + n, size - n, "%s%s=%s", n ? " " : "", member->string,
				 gb_setup_words(member, words, sizeof words));

		n += length > 0 ? (size_t)length : 0;
		if (n + 1 >= size)
			break;
	}
}

char *gb_setup_values_text(const struct gb_setup_values *values, char *text, size_t size)
{
	size_t n = 0;

	(void)snprintf(text, size, "unknown");
	for (size_t i = 0; i < values->count && n < size; i++) {
		const bool more = i == GB_SETUP_VALUES;
		char value[256];
		int length;

		if (!more)
			value_text(values->value[i], value, sizeof value);
		length = snprintf(text + n, size - n, "%s%s", i ? ", " : "", more ? "..." : value);
		n += length > 0 ? (size_t)length : 0;
		if (more)
			break;
	}
	return text;
}
