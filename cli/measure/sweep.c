/* sweep.c -- chooses variants, parses lists of parameter values and enumerates the points of a
 * sweep. */
#include "cli/measure/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/records/key.h"
#include "common/rng.h"
#include "common/suggest.h"
#include "common/text.h"

/* ---- the chosen variants ------------------------------------------------------------------ */

static bool names(const struct gb_choice *choice, const char *benchmark)
{
	for (size_t i = 0; i < choice->benchmark_count; i++)
		if (gb_equal(choice->benchmark[i]->name, benchmark))
			return true;
	return choice->benchmark_count == 0;
}

static bool globs_leave(const struct gb_choice *choice, const struct gb_variant *variant)
{
	bool any = false, in = false;

	for (size_t i = 0; i < choice->glob_count; i++) {
		const bool out = choice->glob[i][0] == '!';
		const bool matches = gb_variant_matches(variant, choice->glob[i] + out);

		if (out && matches)
			return false;
		any = any || !out;
		in = in || (!out && matches);
	}
	return in || !any;
}

bool gb_chosen(const struct gb_choice *choice, const struct gb_variant *variant)
{
	return !(choice->backends && !(choice->backends >> variant->backend & 1)) &&
	       names(choice, variant->benchmark) && globs_leave(choice, variant);
}

bool gb_chosen_any(const struct gb_choice *choice, const struct gb_benchmark *benchmark)
{
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].benchmark, benchmark->name) &&
		    gb_chosen(choice, &gb_variants[i]))
			return true;
	return false;
}

bool gb_is_explicit(const struct gb_choice *choice, enum gb_backend backend)
{
	const char *name = gb_backends[backend]->name;
	const size_t length = strlen(name);

	if (choice->backends == 1U << backend)
		return true;
	for (size_t i = 0; i < choice->glob_count; i++)
		if (strncmp(choice->glob[i], name, length) == 0 && choice->glob[i][length] == '/')
			return true;
	return false;
}

unsigned gb_chosen_backends(const struct gb_choice *choice)
{
	unsigned backends = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].ops && gb_chosen(choice, &gb_variants[i]))
			backends |= 1U << gb_variants[i].backend;
	return backends;
}

/* GB_EUSAGE if a glob matches no variant of the benchmarks. */
static enum gb_status check_glob(const struct gb_choice *choice,
				 const struct gb_benchmark *benchmark, const char *glob,
				 struct gb_error *err)
{
	const char *slash = strrchr(glob, '/');
	const char *bare = glob + (glob[0] == '!');
	struct gb_suggest near = { .word = slash ? slash + 1 : bare };

	for (size_t i = 0; i < gb_benchmark_count && !benchmark; i++)
		gb_suggest_offer(&near, gb_benchmarks[i]->name);
	for (size_t i = 0; i < gb_variant_count; i++) {
		if (!names(choice, gb_variants[i].benchmark))
			continue;
		if (gb_variant_matches(&gb_variants[i], bare))
			return GB_OK;
		gb_suggest_offer(&near, gb_variants[i].name);
	}
	if (benchmark && gb_names_file(benchmark, glob))
		return gb_fail(err, GB_EUSAGE,
			       "'%.80s' is no variant of %s: --file=FILE reads a file", glob,
			       benchmark->name);
	if (benchmark || choice->benchmark_count == 1)
		return gb_fail(err, GB_EUSAGE, "no variant of %s matches '%.80s'%s",
			       choice->benchmark[0]->name, glob,
			       gb_suggest_text(&near, " (see gpubench list)"));
	return gb_fail(err, GB_EUSAGE, "'%.80s' is neither a benchmark nor a variant%s", glob,
		       gb_suggest_text(&near, " (see gpubench list)"));
}

enum gb_status gb_choice_read(struct gb_choice *choice, const struct gb_benchmark *benchmark,
			      const char *const *word, size_t count, struct gb_error *err)
{
	if (benchmark)
		choice->benchmark[choice->benchmark_count++] = benchmark;
	if (count > GB_MAX_WORDS)
		return gb_fail(err, GB_EUSAGE, "more than %d words", GB_MAX_WORDS);
	for (size_t i = 0; i < count; i++) {
		const struct gb_benchmark *named = benchmark ? NULL : gb_benchmark_find(word[i]);

		if (named)
			choice->benchmark[choice->benchmark_count++] = named;
		else
			choice->glob[choice->glob_count++] = word[i];
	}
	for (size_t i = 0; i < choice->glob_count; i++)
		if (check_glob(choice, benchmark, choice->glob[i], err))
			return err->code;
	for (size_t i = 0; i < gb_variant_count; i++)
		if (names(choice, gb_variants[i].benchmark) && globs_leave(choice, &gb_variants[i]))
			return GB_OK;
	return gb_fail(err, GB_EUSAGE, "the words leave no variant to run");
}

/* ---- values of a parameter ---------------------------------------------------------------- */

static bool same(const struct gb_param *param, union gb_value a, union gb_value b)
{
	if (param->type == GB_PATH)
		return gb_equal(a.s, b.s);
	if (param->type == GB_FLOAT)
		return a.f >= b.f && a.f <= b.f;
	return a.i == b.i;
}

/* Replace --threads=0 by the number of usable CPUs. */
static union gb_value resolve(const struct gb_param *param, union gb_value value)
{
	if (gb_equal(param->name, "threads") && value.i == 0)
		value.i = omp_get_num_procs();
	return value;
}

/* Add a value to a list under construction, which has room for GB_MAX_VALUES. */
static enum gb_status append(struct gb_axis *list, union gb_value value, struct gb_error *err)
{
	if (gb_value_check(list->param, value, err))
		return err->code;
	value = resolve(list->param, value);
	for (size_t i = 0; i < list->count; i++)
		if (same(list->param, list->value[i], value))
			return gb_fail(err, GB_EUSAGE, "--%s lists the same value twice",
				       list->param->name);
	if (list->count == GB_MAX_VALUES)
		return gb_fail(err, GB_EUSAGE, "--%s lists more than %d values", list->param->name,
			       GB_MAX_VALUES);
	list->value[list->count++] = value;
	return GB_OK;
}

/* LO:HI:STEP or LO:HI:xFACTOR.  A long double holds every 64-bit integer exactly. */
struct range {
	const struct gb_param *param;
	union gb_value low, high;
	long double step;
	bool geometric;
};

/* Compute value number k; return false past HI.  Floating-point values are rounded to fewer digits,
 * so that 0.1:0.3:0.1 contains 0.3, not 0.30000000000000004. */
static bool range_value(const struct range *r, int64_t k, union gb_value *value)
{
	const bool whole = r->param->type == GB_INT;
	const long double base = whole ? (long double)r->low.i : (long double)r->low.f;
	const long double x = r->geometric ? base * powl(r->step, (long double)k)
					   : base + r->step * (long double)k;
	char text[64];

	if (whole) {
		if (x >= 0x1p63L)
			return false;
		value->i = llroundl(x);
		return value->i <= r->high.i;
	}
	(void)snprintf(text, sizeof text, "%.*Lg", r->geometric ? 12 : 15, x);
	value->f = k ? strtod(text, NULL) : r->low.f;
	return value->f <= r->high.f;
}

static enum gb_status bad_range(const struct gb_param *param, const char *item, const char *why,
				struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "--%s=%.80s: %s", param->name, item, why);
}

/* Read the step or the factor, without a limit on its size; the default is 1. */
static enum gb_status read_step(struct range *r, const char *text, const char *whole,
				struct gb_error *err)
{
	struct gb_param row = *r->param;
	union gb_value step = { 0 };

	r->step = 1;
	if (!text)
		return r->param->type == GB_FLOAT
			       ? bad_range(r->param, whole, "a range of this option needs a step",
					   err)
			       : GB_OK;
	r->geometric = text[0] == 'x';
	row.type = r->geometric ? GB_FLOAT : row.type;
	row.min = INT64_MIN;
	row.max = INT64_MAX;
	row.low = -INFINITY;
	row.high = INFINITY;
	if (gb_value_parse(&row, text + r->geometric, &step, err))
		return err->code;
	r->step = row.type == GB_INT ? (long double)step.i : (long double)step.f;
	return GB_OK;
}

/* Read LO:HI[:STEP|:xFACTOR]; item is split at its colons. */
static enum gb_status read_range(struct range *r, char *item, const char *whole,
				 struct gb_error *err)
{
	const struct gb_param *param = r->param;
	char *high_text = strchr(item, ':') + 1;
	char *step_text = strchr(high_text, ':');

	high_text[-1] = '\0';
	if (step_text)
		*step_text++ = '\0';
	if (gb_value_parse(param, item, &r->low, err) ||
	    gb_value_parse(param, high_text, &r->high, err) || read_step(r, step_text, whole, err))
		return err->code;
	if (param->type == GB_INT ? r->low.i > r->high.i : r->low.f > r->high.f)
		return bad_range(param, whole, "the range is empty", err);
	if (r->geometric ? r->step <= 1 : r->step <= 0)
		return bad_range(param, whole,
				 r->geometric ? "the factor must exceed 1"
					      : "the step must be positive",
				 err);
	if (r->geometric && (param->type == GB_INT ? r->low.i <= 0 : r->low.f <= 0))
		return bad_range(param, whole, "a range by a factor must start above 0", err);
	return GB_OK;
}

static enum gb_status append_range(struct gb_axis *list, char *item, const char *whole,
				   struct gb_error *err)
{
	struct range range = { .param = list->param };
	union gb_value value = { 0 };

	if (read_range(&range, item, whole, err))
		return err->code;
	for (int64_t k = 0; range_value(&range, k, &value); k++) {
		const bool repeat =
			list->count && k && same(list->param, list->value[list->count - 1], value);

		/* A small factor may need several steps to reach the next integer. */
		if (repeat && !range.geometric)
			return bad_range(list->param, whole, "the step is too small", err);
		if (k == GB_MAX_POINTS)
			return bad_range(list->param, whole, "the factor is too close to 1", err);
		if (!repeat && append(list, value, err))
			return err->code;
	}
	return GB_OK;
}

static void append_item(struct gb_axis *list, char *item, struct gb_error *err)
{
	const bool number = list->param->type == GB_INT || list->param->type == GB_FLOAT;
	union gb_value value = { 0 };
	char whole[96];

	if (number && strchr(item, ':')) {
		strncpy(whole, item, sizeof whole - 1);
		whole[sizeof whole - 1] = '\0';
		(void)append_range(list, item, whole, err);
	} else if (!gb_value_parse(list->param, item, &value, err)) {
		(void)append(list, value, err);
	}
}

/* GB_EUSAGE if a file is given and a parameter that only generated inputs have. */
static enum gb_status check_files(const struct gb_sweep *sweep, struct gb_error *err)
{
	const struct gb_benchmark *benchmark = sweep->benchmark;

	for (size_t i = 0; i < benchmark->param_count; i++)
		for (size_t k = 0; k < benchmark->param_count; k++)
			if (sweep->axis[i].given && sweep->axis[k].given &&
			    gb_param_yields(&benchmark->params[i], benchmark->params[k].name))
				return gb_fail(
					err, GB_EUSAGE, "--%s is of a generated input, not of --%s",
					benchmark->params[i].name, benchmark->params[k].name);
	return GB_OK;
}

/* Set sweep->count to the product of the lists' lengths. */
static enum gb_status count_points(struct gb_sweep *sweep, struct gb_error *err)
{
	size_t points = 1;

	for (size_t i = 0; i < sweep->benchmark->param_count; i++)
		if (__builtin_mul_overflow(points, sweep->axis[i].count, &points) ||
		    points > GB_MAX_POINTS)
			return gb_fail(err, GB_EUSAGE, "the sweep has more than %d points",
				       GB_MAX_POINTS);
	sweep->count = points;
	return check_files(sweep, err);
}

/* Replace the values of the axis by those of spec; on failure the axis does not change. */
static enum gb_status set_axis(struct gb_axis *axis, const char *spec, struct gb_error *err)
{
	struct gb_axis list = { .param = axis->param,
				.given = axis->given,
				.value = malloc(GB_MAX_VALUES * sizeof *list.value),
				.text = strdup(spec) };
	struct gb_axis *unused = axis;
	char *rest = list.text, *item;

	if (!list.value || !list.text)
		gb_out_of_memory(err, NULL);
	else
		while (!err->code && (item = strsep(&rest, ",")))
			append_item(&list, item, err);
	if (err->code)
		unused = &list;
	free(unused->text);
	free(unused->value);
	if (!err->code)
		*axis = list;
	return err->code;
}

enum gb_status gb_sweep_init(struct gb_sweep *sweep, const struct gb_benchmark *benchmark,
			     struct gb_error *err)
{
	*sweep = (struct gb_sweep){ .benchmark = benchmark, .count = 1 };
	for (size_t i = 0; i < benchmark->param_count; i++) {
		struct gb_axis *axis = &sweep->axis[i];

		axis->param = &benchmark->params[i];
		if (axis->param->initial) {
			if (set_axis(axis, axis->param->initial, err))
				return err->code;
			continue;
		}
		axis->value = calloc(1, sizeof *axis->value);
		if (!axis->value)
			return gb_out_of_memory(err, NULL);
		axis->count = 1;
	}
	return GB_OK;
}

/* The index of parameter `name`; param_count if there is none. */
static size_t axis_of(const struct gb_benchmark *w, const char *name)
{
	const struct gb_param *param = gb_param_find(w->params, w->param_count, name);

	return param ? (size_t)(param - w->params) : w->param_count;
}

enum gb_status gb_sweep_set(struct gb_sweep *sweep, const char *name, const char *spec,
			    struct gb_error *err)
{
	const size_t i = axis_of(sweep->benchmark, name);
	struct gb_axis *axis = &sweep->axis[i];
	struct gb_error bad = { 0 };

	if (i == sweep->benchmark->param_count)
		return gb_fail(err, GB_EUSAGE, "%s has no option --%s", sweep->benchmark->name,
			       name);
	if (axis->given)
		return gb_fail(err, GB_EUSAGE,
			       "--%s is given twice: list the values, as in --%s=A,B", name, name);
	axis->given = true;
	if (set_axis(axis, spec, &bad))
		return gb_names_file(sweep->benchmark, spec)
			       ? gb_fail(err, GB_EUSAGE, "--%s=%.80s: --file=FILE reads a file",
					 name, spec)
			       : gb_fail(err, bad.code, "%s", bad.message);
	return count_points(sweep, err);
}

/* True if the axis has its default and the parameter that it yields to was given. */
static bool yields(const struct gb_sweep *sweep, const struct gb_axis *axis)
{
	return !axis->given && axis->param->yields_to &&
	       sweep->axis[axis_of(sweep->benchmark, axis->param->yields_to)].given;
}

/* True if the parameter is only for other points than this one. */
static bool is_idle(const struct gb_sweep *sweep, size_t index, const struct gb_param *param)
{
	for (size_t i = sweep->benchmark->param_count; param->only && i-- > 0;) {
		const struct gb_axis *axis = &sweep->axis[i];
		const char *word = gb_param_needs(param, axis->param->name);

		if (gb_param_yields(param, axis->param->name))
			return axis->value[index % axis->count].s;
		if (word)
			return !gb_equal(axis->param->choices[axis->value[index % axis->count].i],
					 word);
		index /= axis->count;
	}
	return false;
}

/* The value that keys leave out. */
static union gb_value keyed_value(const struct gb_param *param)
{
	struct gb_error ignored = { 0 };
	union gb_value value = { 0 };

	(void)gb_value_parse(param, param->keyed ? param->keyed : param->initial, &value, &ignored);
	return value;
}

void gb_sweep_point(const struct gb_sweep *sweep, size_t index, void *params)
{
	size_t rest = index;

	memset(params, 0, sweep->benchmark->params_size);
	for (size_t i = sweep->benchmark->param_count; i-- > 0;) {
		const struct gb_axis *axis = &sweep->axis[i];

		if (is_idle(sweep, index, axis->param))
			gb_value_store(axis->param, params, keyed_value(axis->param));
		else if (!yields(sweep, axis))
			gb_value_store(axis->param, params, axis->value[rest % axis->count]);
		rest /= axis->count;
	}
}

bool gb_sweep_wants(const struct gb_sweep *sweep, size_t index, const struct gb_variant *variant)
{
	size_t rest = index;

	if (!gb_chosen(&sweep->choice, variant))
		return false;
	for (size_t i = sweep->benchmark->param_count; i-- > 0;) {
		const struct gb_axis *axis = &sweep->axis[i];

		if (rest % axis->count != 0 &&
		    (!gb_param_applies(axis->param, variant) || is_idle(sweep, index, axis->param)))
			return false;
		rest /= axis->count;
	}
	return true;
}

void gb_sweep_release(struct gb_sweep *sweep)
{
	if (!sweep->benchmark)
		return;
	for (size_t i = 0; i < sweep->benchmark->param_count; i++) {
		free(sweep->axis[i].value);
		free(sweep->axis[i].text);
	}
	free(sweep->words);
	*sweep = (struct gb_sweep){ 0 };
}

enum gb_status gb_sweep_words(struct gb_sweep *sweep, const struct gb_benchmark *benchmark,
			      const char *words, struct gb_error *err)
{
	struct gb_choice *choice = &sweep->choice;
	char *rest, *word;

	if (gb_sweep_init(sweep, benchmark, err))
		return err->code;
	sweep->words = strdup(words);
	if (!sweep->words)
		return gb_out_of_memory(err, NULL);
	for (word = strtok_r(sweep->words, " ", &rest); word && !err->code;
	     word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');

		if ((strchr(word, '/') || word[0] == '!') && word[0] != '-' &&
		    choice->glob_count < GB_MAX_WORDS) {
			choice->glob[choice->glob_count++] = word;
			continue;
		}
		if (strncmp(word, "--", 2) != 0 || !value) {
			gb_fail(err, GB_EUSAGE, "'%s' is not --name=value", word);
			break;
		}
		*value++ = '\0';
		(void)gb_sweep_set(sweep, word + 2, value, err);
	}
	return err->code;
}

void gb_sweep_name_all(struct gb_sweep *sweep)
{
	struct gb_choice *choice = &sweep->choice;
	size_t kept = 0;

	for (size_t i = 0; i < choice->glob_count; i++)
		if (choice->glob[i][0] == '!')
			choice->glob[kept++] = choice->glob[i];
	choice->glob_count = kept;
}

enum gb_status gb_sweep_yield(struct gb_sweep *sweep, const char *name, struct gb_error *err)
{
	for (size_t i = 0; i < sweep->benchmark->param_count && !err->code; i++) {
		struct gb_axis *axis = &sweep->axis[i];
		const struct gb_param *param = axis->param;

		if (!axis->given || !(gb_param_yields(param, name) ||
				      (param->yields_to && gb_equal(param->yields_to, name))))
			continue;
		axis->given = false;
		(void)set_axis(axis, param->initial, err);
	}
	return err->code;
}

enum gb_status gb_sweep_override(struct gb_sweep *sweep, const char *name, const char *spec,
				 struct gb_error *err)
{
	const size_t i = axis_of(sweep->benchmark, name);

	if (!spec || i == sweep->benchmark->param_count)
		return GB_OK;
	sweep->axis[i].given = false;
	return gb_sweep_set(sweep, name, spec, err);
}

int64_t gb_sweep_most_threads(const struct gb_sweep *sweep)
{
	const size_t i = axis_of(sweep->benchmark, "threads");
	int64_t most = 0;

	for (size_t k = 0; i < sweep->benchmark->param_count && k < sweep->axis[i].count; k++)
		most = sweep->axis[i].value[k].i > most ? sweep->axis[i].value[k].i : most;
	return most;
}
