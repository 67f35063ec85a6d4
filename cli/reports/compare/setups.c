/* setups.c -- see setups.h. */
#include "cli/reports/compare/setups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/records/identity.h"
#include "common/text.h"

/* The source of a part's value. */
enum place { OF_MACHINE, OF_RECORD, OF_RUN, OF_GPU, OF_CLOCK, OF_ENVIRONMENT };

/* Measured clocks always differ slightly; this fraction is ignored. */
static const double CLOCK_SHARE = 0.05;

/* Version and commit are omitted because they are the subject of the comparison. */
static const struct {
	const char *name, *path;
	enum place place;
	const char *backend; /* back end whose times depend on it; "gpu": all but cpu; NULL: all */
	bool refused;
} parts[] = {
	{ "cache mode", "cold", OF_RECORD, NULL, true },
	{ "CPU", NULL, OF_MACHINE, "cpu", true },
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
	{ "SM clock in Hz", NULL, OF_CLOCK, "gpu", false },
	{ "power limit in W", "power_limit_w", OF_GPU, "gpu", false },
	{ "ECC", "ecc", OF_GPU, "gpu", false },
	{ "MIG", "mig", OF_GPU, "gpu", false },
	{ "build", "tool.mode", OF_RUN, NULL, false },
	{ "compiler", "tool.compiler", OF_RUN, NULL, false },
	{ "compiler flags", "tool.cflags", OF_RUN, NULL, false },
	{ "nvcc", "tool.nvcc", OF_RUN, "cuda", false },
	{ "architectures", "tool.archs", OF_RUN, "cuda", false },
	{ "code", "code", OF_GPU, "cuda", false },
	{ "environment", NULL, OF_ENVIRONMENT, NULL, false },
	{ "--samples", "settings.samples", OF_RUN, NULL, false },
	{ "--warmup", "settings.warmup", OF_RUN, NULL, false },
	{ "--min-samples", "settings.min_samples", OF_RUN, NULL, false },
	{ "--max-time", "settings.max_time_s", OF_RUN, NULL, false },
	{ "--rel-ci", "settings.rel_ci", OF_RUN, NULL, false },
	{ "--timeout", "settings.timeout_s", OF_RUN, NULL, false },
	{ "--verify=all", "settings.verify_all", OF_RUN, NULL, false },
};
_Static_assert(GB_COUNT(parts) <= GB_SETUP_PARTS, "room for each part");

void gb_setups_init(struct gb_setups *setups)
{
	*setups = (struct gb_setups){ .count = GB_COUNT(parts) };
	for (size_t i = 0; i < setups->count; i++) {
		setups->part[i].name = parts[i].name;
		setups->part[i].refused = parts[i].refused;
	}
}

/* ---- parts -------------------------------------------------------------------------------- */

/* True if a part with the back end `of` (see parts) affects times of the back end. */
static bool depends(const char *of, const char *backend)
{
	return !of || gb_equal(of, backend) || (gb_equal(of, "gpu") && !gb_equal(backend, "cpu"));
}

/* The clock of the middle sample. */
static struct gb_field_value clock_of(const struct gb_record *record)
{
	const struct gb_numbers *clock = &record->gpu_state.sm_clock_hz;

	return clock->count && isfinite(clock->value[clock->count / 2])
		       ? (struct gb_field_value){ GB_VALUE_NUMBER, clock->value[clock->count / 2],
						  NULL }
		       : (struct gb_field_value){ 0 };
}

/* The value of the part in the record, if it has one. */
static struct gb_setup_value value_of(size_t part, const struct gb_record *record)
{
	const struct gb_run *run = record->run;
	const struct gb_gpu *gpu = gb_run_gpu(run);
	struct gb_setup_value value = { .record = record };

	if (!depends(parts[part].backend, record->backend))
		return value;
	switch (parts[part].place) {
	case OF_MACHINE:
		if (run != gb_no_run && (gpu || gb_is_cpu(record)))
			value.is = (struct gb_field_value){ GB_VALUE_TEXT, 0,
							    gb_record_machine(record)->text };
		break;
	case OF_RECORD:
		value.is = gb_record_value(record, parts[part].path);
		break;
	case OF_GPU:
		if (gpu)
			value.is = gb_gpu_value(gpu, parts[part].path);
		break;
	case OF_CLOCK:
		value.is = clock_of(record);
		break;
	case OF_ENVIRONMENT:
		if (run != gb_no_run)
			value.is.kind = GB_VALUE_TEXT;
		break;
	case OF_RUN:
		value.is = gb_run_value(run, parts[part].path);
		break;
	}
	return value;
}

static bool same_environment(const struct gb_members *a, const struct gb_members *b)
{
	for (size_t i = 0; i < a->count && a->count == b->count; i++)
		if (!gb_member_equal(&a->item[i], gb_member_find(b, a->item[i].name)))
			return false;
	return a->count == b->count;
}

static bool is_same(size_t part, const struct gb_setup_value *a, const struct gb_setup_value *b)
{
	if (parts[part].place == OF_CLOCK)
		return fabs(a->is.number / b->is.number - 1) <= CLOCK_SHARE;
	if (parts[part].place == OF_MACHINE)
		return gb_same_machine(gb_record_machine(a->record), gb_record_machine(b->record));
	if (parts[part].place == OF_ENVIRONMENT)
		return same_environment(&a->record->run->environment, &b->record->run->environment);
	return gb_values_equal(a->is, b->is);
}

static bool has_value(size_t part, const struct gb_setup_values *values,
		      const struct gb_setup_value *item)
{
	for (size_t i = 0; i < values->count; i++)
		if (is_same(part, &values->value[i], item))
			return true;
	return false;
}

static void add_value(size_t part, struct gb_setup_values *values,
		      const struct gb_setup_value *item)
{
	if (values->count < GB_COUNT(values->value) && !has_value(part, values, item))
		values->value[values->count++] = *item;
}

void gb_setups_add(struct gb_setups *setups, const struct gb_record *record, bool is_new)
{
	for (size_t i = 0; i < setups->count; i++) {
		struct gb_setup_part *part = &setups->part[i];
		const struct gb_setup_value value = value_of(i, record);

		if (value.is.kind)
			add_value(i, is_new ? &part->key_new : &part->key_base, &value);
	}
}

/* Move the values of a key to those of the side if `keep` is true; else drop them. */
static void move_values(size_t part, struct gb_setup_values *to, struct gb_setup_values *from,
			bool keep)
{
	for (size_t i = 0; keep && i < from->count; i++)
		add_value(part, to, &from->value[i]);
	from->count = 0;
}

void gb_setups_end_key(struct gb_setups *setups)
{
	for (size_t i = 0; i < setups->count; i++) {
		struct gb_setup_part *part = &setups->part[i];
		const struct gb_setup_values *base = &part->key_base, *other = &part->key_new;
		const bool differs = base->count > 1 || other->count > 1 ||
				     (base->count && other->count &&
				      !is_same(i, &base->value[0], &other->value[0]));

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

/* "NAME=VALUE NAME=VALUE" */
static void environment_text(const struct gb_members *members, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", members->count ? "" : "none");
	for (size_t i = 0; i < members->count; i++) {
		const struct gb_member *m = &members->item[i];

		gb_text_append(text, size, "%s%.60s=%.100s", i ? " " : "", m->name,
			       m->text ? m->text : "");
	}
}

static void value_text(size_t part, const struct gb_setup_value *value, char *text, size_t size)
{
	if (parts[part].place == OF_ENVIRONMENT)
		environment_text(&value->record->run->environment, text, size);
	else if (parts[part].place == OF_MACHINE)
		(void)snprintf(text, size, "%s", value->is.text);
	else if (parts[part].path && gb_equal(parts[part].path, "cold"))
		(void)snprintf(text, size, "%s", value->is.number > 0 ? "cold" : "hot");
	else
		(void)gb_value_words(value->is, text, size);
}

char *gb_setup_values_text(const struct gb_setup_part *part, bool is_new, char *text, size_t size)
{
	const struct gb_setup_values *values = is_new ? &part->new_ : &part->base;
	size_t which = 0;

	while (parts[which].name != part->name)
		which++;
	(void)snprintf(text, size, "%s", values->count ? "" : "unknown");
	for (size_t i = 0; i < values->count; i++) {
		char value[400] = "...";

		if (i < GB_SETUP_VALUES)
			value_text(which, &values->value[i], value, sizeof value);
		gb_text_append(text, size, "%s%s", i ? ", " : "", value);
	}
	return text;
}
