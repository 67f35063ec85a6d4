/* setups.c -- see setups.h. */
#include "cli/report/compare/setups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/records/record.h"
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
	{ "MPS", "mps", OF_GPU, "cuda", false },
	{ "build", "tool.mode", OF_RUN, NULL, false },
	{ "compiler", "tool.compiler", OF_RUN, NULL, false },
	{ "compiler flags", "tool.cflags", OF_RUN, NULL, false },
	{ "nvcc", "tool.nvcc", OF_RUN, "cuda", false },
	{ "architectures", "tool.archs", OF_RUN, "cuda", false },
	{ "code", "code", OF_GPU, "cuda", false },
	{ "environment", NULL, OF_ENVIRONMENT, NULL, false },
	{ "--samples", "settings.samples", OF_RUN, NULL, false },
	{ "--warmup", "settings.warmup", OF_RUN, NULL, false },
	{ "--warmup-time", "settings.warmup_time_s", OF_RUN, NULL, false },
	{ "--min-samples", "settings.min_samples", OF_RUN, NULL, false },
	{ "--max-time", "settings.max_time_s", OF_RUN, NULL, false },
	{ "--rel-ci", "settings.rel_ci", OF_RUN, NULL, false },
	{ "--timeout", "settings.timeout_s", OF_RUN, NULL, false },
	{ "--verify=all", "settings.verify_all", OF_RUN, NULL, false },
	{ "locked clock", "settings.locked_clock", OF_RUN, "gpu", false },
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

const struct gb_setup_part *gb_setups_refused(const struct gb_setups *setups)
{
	for (size_t i = 0; i < setups->count; i++)
		if (setups->part[i].refused && setups->part[i].differs)
			return &setups->part[i];
	return NULL;
}

/* ---- the value of a part in a record ------------------------------------------------------- */

/* True if a part with the back end `of` (see parts) affects times of the back end. */
static bool depends(const char *of, const char *backend)
{
	return !of || gb_equal(of, backend) || (gb_equal(of, "gpu") && !gb_equal(backend, "cpu"));
}

/* The clock of the middle sample; NAN if it is unknown. */
static double clock_of(const struct gb_record *record)
{
	const struct gb_numbers *clock = &record->gpu_state.sm_clock_hz;

	return clock->count ? clock->value[clock->count / 2] : (double)NAN;
}

/* The value, without a kind if the record has none. */
static struct gb_field_value value_of(size_t part, const struct gb_record *record)
{
	const struct gb_context *context = record->context;
	const struct gb_gpu *gpu = gb_context_gpu(context);
	const struct gb_field_value none = { 0 };
	const double clock = clock_of(record);

	if (!depends(parts[part].backend, record->backend))
		return none;
	switch (parts[part].place) {
	case OF_MACHINE:
		return context != gb_no_context && (gpu || gb_is_cpu(record))
			       ? (struct gb_field_value){ GB_VALUE_TEXT, 0,
							  gb_record_machine(record)->text }
			       : none;
	case OF_RECORD:
		return gb_record_value(record, parts[part].path);
	case OF_GPU:
		return gpu ? gb_gpu_value(gpu, parts[part].path) : none;
	case OF_CLOCK:
		return isfinite(clock) ? (struct gb_field_value){ GB_VALUE_NUMBER, clock, NULL }
				       : none;
	case OF_ENVIRONMENT:
		return context != gb_no_context ? (struct gb_field_value){ GB_VALUE_TEXT, 0, "" }
						: none;
	case OF_RUN:
		break;
	}
	return gb_context_value(context, parts[part].path);
}

static bool same_environment(const struct gb_members *a, const struct gb_members *b)
{
	for (size_t i = 0; i < a->count && a->count == b->count; i++)
		if (!gb_values_equal(a->item[i].value, gb_member_value(b, a->item[i].name)))
			return false;
	return a->count == b->count;
}

/* True if both records, which have the part, agree in it. */
static bool is_same(size_t part, const struct gb_record *a, const struct gb_record *b)
{
	switch (parts[part].place) {
	case OF_CLOCK:
		return fabs(clock_of(a) / clock_of(b) - 1) <= CLOCK_SHARE;
	case OF_MACHINE:
		return gb_same_machine(gb_record_machine(a), gb_record_machine(b));
	case OF_ENVIRONMENT:
		return same_environment(&a->context->environment, &b->context->environment);
	default:
		return gb_values_equal(value_of(part, a), value_of(part, b));
	}
}

/* "NAME=VALUE NAME=VALUE" */
static void environment_text(const struct gb_members *members, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", members->count ? "" : "none");
	for (size_t i = 0; i < members->count; i++) {
		const struct gb_member *m = &members->item[i];

		gb_text_append(text, size, "%s%.60s=%.100s", i ? " " : "", m->name,
			       m->value.text ? m->value.text : "");
	}
}

static void value_text(size_t part, const struct gb_record *record, char *text, size_t size)
{
	const struct gb_field_value value = value_of(part, record);

	if (parts[part].place == OF_ENVIRONMENT)
		environment_text(&record->context->environment, text, size);
	else if (parts[part].place == OF_MACHINE)
		(void)snprintf(text, size, "%s", value.text);
	else if (gb_equal(parts[part].name, "cache mode"))
		(void)snprintf(text, size, "%s", value.number > 0 ? "cold" : "hot");
	else
		(void)gb_value_words(value, text, size);
}

bool gb_setups_equal(const struct gb_record *a, const struct gb_record *b)
{
	const struct gb_context *x = a->context, *y = b->context;
	bool same = x != gb_no_context && y != gb_no_context &&
		    (gb_is_cpu(a) || (gb_context_gpu(x) && gb_context_gpu(y))) &&
		    gb_values_equal(gb_record_value(a, "file.modified_s"),
				    gb_record_value(b, "file.modified_s"));

	for (size_t i = 0; i < GB_COUNT(parts) && same; i++)
		if (parts[i].place != OF_CLOCK)
			same = value_of(i, a).kind == value_of(i, b).kind &&
			       (!value_of(i, a).kind || is_same(i, a, b));
	return same;
}

/* ---- a key --------------------------------------------------------------------------------- */

/* The first records of a side whose values differ from each other; at most MOST. */
enum { MOST = 5 };
static size_t find_values(size_t part, const struct gb_key_entry *entry, size_t count, size_t side,
			  const struct gb_record *found[MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < count && n < MOST; i++) {
		const struct gb_record *record = entry[i].record;
		bool known = entry[i].side != side || isnan(record->time.median) ||
			     !value_of(part, record).kind;

		for (size_t k = 0; k < n && !known; k++)
			known = is_same(part, found[k], record);
		if (!known)
			found[n++] = record;
	}
	return n;
}

static bool lists(const char *list, const char *text)
{
	const size_t length = strlen(text);

	for (const char *at = strstr(list, text); at && *at; at = strstr(at + 1, text))
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* Append the values to "A, B", which ends in "..." if they are many. */
static void add_values(size_t part, const struct gb_record *const *found, size_t count, char *list,
		       size_t size)
{
	for (size_t i = 0; i < count; i++) {
		char text[400] = "...";

		if (i + 1 < MOST)
			value_text(part, found[i], text, sizeof text);
		if (!lists(list, text))
			gb_text_append(list, size, "%s%s", *list ? ", " : "", text);
	}
}

void gb_setups_add(struct gb_setups *setups, const struct gb_key_entry *entry, size_t count)
{
	for (size_t i = 0; i < setups->count; i++) {
		struct gb_setup_part *part = &setups->part[i];
		const struct gb_record *base[MOST], *other[MOST];
		const size_t bases = find_values(i, entry, count, 0, base);
		const size_t others = find_values(i, entry, count, 1, other);

		if (bases < 2 && others < 2 && (!bases || !others || is_same(i, base[0], other[0])))
			continue;
		part->differs = true;
		add_values(i, base, bases, part->base, sizeof part->base);
		add_values(i, other, others, part->new_, sizeof part->new_);
	}
}
