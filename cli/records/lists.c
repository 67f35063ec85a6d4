/* lists.c -- see lists.h. */
#include "cli/records/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/memory.h"
#include "common/text.h"

/* ---- named values --------------------------------------------------------------------------- */

const char *gb_value_words(struct gb_field_value value, char *text, size_t size)
{
	static const char *const flag[] = { "false", "true" };

	if (value.kind == GB_VALUE_NUMBER)
		(void)snprintf(text, size, "%.10g", value.number);
	else
		(void)snprintf(text, size, "%.100s",
			       value.kind == GB_VALUE_TEXT   ? value.text
			       : value.kind == GB_VALUE_FLAG ? flag[value.number > 0]
							     : "none");
	return text;
}

bool gb_values_equal(struct gb_field_value a, struct gb_field_value b)
{
	if (a.kind != b.kind)
		return false;
	return a.kind == GB_VALUE_TEXT ? gb_equal(a.text, b.text)
				       : !(fabs(a.number - b.number) > 0);
}

struct gb_field_value gb_member_value(const struct gb_members *members, const char *name)
{
	for (size_t i = 0; i < members->count; i++)
		if (gb_equal(members->item[i].name, name))
			return members->item[i].value;
	return (struct gb_field_value){ .number = NAN };
}

double gb_member_number(const struct gb_members *members, const char *name)
{
	const struct gb_field_value value = gb_member_value(members, name);

	return value.kind == GB_VALUE_NUMBER ? value.number : (double)NAN;
}

void *gb_add_item(void *list, size_t *count, size_t size)
{
	char *array;

	memcpy(&array, list, sizeof array); /* a pointer of any type */
	if (*count == 0 || (*count >= 8 && (*count & (*count - 1)) == 0))
		array = reallocarray(array, *count ? 2 * *count : 8, size);
	if (!array)
		return NULL;
	memcpy(list, &array, sizeof array);
	return array + (*count)++ * size;
}

bool gb_members_add(struct gb_members *members, struct gb_member member)
{
	struct gb_member *added = NULL;

	if (member.value.kind)
		added = gb_add_item(&members->item, &members->count, sizeof *added);
	if (added)
		*added = member;
	return added || !member.value.kind;
}

/* ---- lists and series ----------------------------------------------------------------------- */

const struct gb_times gb_no_times = { .median = NAN, .ci_low = NAN, .ci_high = NAN };

enum gb_status gb_numbers_add(struct gb_numbers *numbers, double value, struct gb_error *err)
{
	double *added = NULL;

	if (gb_memory_admit(err))
		added = gb_add_item(&numbers->value, &numbers->count, sizeof *added);
	if (!added)
		return gb_out_of_memory(err, "the samples");
	*added = value;
	return GB_OK;
}

enum gb_status gb_times_add(struct gb_times *times, double ns, struct gb_error *err)
{
	struct gb_numbers samples = { times->count, times->sample };

	(void)gb_numbers_add(&samples, ns, err);
	times->sample = samples.value;
	times->count = samples.count;
	return err->code;
}

bool gb_texts_add(struct gb_texts *texts, const char *text)
{
	const char **added = gb_add_item(&texts->text, &texts->count, sizeof *added);

	if (added)
		*added = text;
	return added;
}

char *gb_texts_keep(struct gb_texts *texts, const char *text)
{
	char *copy = gb_utf8_copy(text);

	if (copy && gb_texts_add(texts, copy))
		return copy;
	free(copy);
	return NULL;
}

void gb_texts_free(struct gb_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		char *text; /* without the const of a list whose texts others own */

		memcpy(&text, &texts->text[i], sizeof text);
		free(text);
	}
	free(texts->text);
	*texts = (struct gb_texts){ 0 };
}

struct gb_times *gb_phases_get(struct gb_phases *phases, const char *name)
{
	struct gb_named_times *added;

	for (size_t i = 0; i < phases->count; i++)
		if (gb_equal(phases->item[i].name, name))
			return &phases->item[i].time;
	added = gb_add_item(&phases->item, &phases->count, sizeof *added);
	if (added)
		*added = (struct gb_named_times){ name, gb_no_times };
	return added ? &added->time : NULL;
}

enum gb_status gb_times_settle(struct gb_times *times, const char *clock, double resolution_ns,
			       struct gb_error *err)
{
	struct gb_summary sum;

	if (gb_summarize(times->sample, times->count, &sum, err))
		return err->code;
	gb_floor_interval(&sum, resolution_ns);
	times->clock = clock;
	times->median = sum.median;
	times->ci_low = sum.ci_low;
	times->ci_high = sum.ci_high;
	return GB_OK;
}

enum gb_status gb_phases_settle(struct gb_phases *phases, const char *clock, double resolution_ns,
				struct gb_error *err)
{
	for (size_t i = 0; i < phases->count && !err->code; i++)
		(void)gb_times_settle(&phases->item[i].time, clock, resolution_ns, err);
	return err->code;
}

void gb_phases_clear(struct gb_phases *phases)
{
	while (phases->count)
		free(phases->item[--phases->count].time.sample);
	free(phases->item);
	*phases = (struct gb_phases){ 0 };
}

struct gb_summary gb_times_summary(const struct gb_times *times)
{
	struct gb_error err = { 0 };
	struct gb_summary sum;

	(void)gb_summarize(times->sample, times->count, &sum, &err);
	sum.median = times->median;
	sum.ci_low = times->ci_low;
	sum.ci_high = times->ci_high;
	return sum;
}

double gb_times_statistic(const struct gb_times *times, const char *name)
{
	const struct gb_summary sum = gb_times_summary(times);
	const struct {
		const char *name;
		double value;
	} statistic[] = {
		{ "n", (double)sum.count },
		{ "median", sum.median },
		{ "ci95.low", sum.ci_low },
		{ "ci95.high", sum.ci_high },
		{ "min", sum.min },
		{ "q1", sum.q1 },
		{ "q3", sum.q3 },
		{ "max", sum.max },
		{ "mean", sum.mean },
		{ "mean_ci95.low", sum.mean_ci_low },
		{ "mean_ci95.high", sum.mean_ci_high },
		{ "stddev", sum.stddev },
		{ "mad", sum.mad },
		{ "outliers", (double)sum.outliers },
	};

	for (size_t i = 0; i < GB_COUNT(statistic) && !isnan(times->median); i++)
		if (gb_equal(statistic[i].name, name))
			return statistic[i].value;
	return NAN;
}
