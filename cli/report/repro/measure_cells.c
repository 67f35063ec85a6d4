/* measure_cells.c -- measures the values of a paper's table, or finds them among stored records.
 *
 * A row's key columns set parameters, and so do "set" of the table and of a column.  The columns of
 * a row that share a "set" are one point, measured with all their variants in one run.  The columns
 * of `beside` use the table's own "set", or `beside_set`.  Cells then find their records by key, in
 * the session or among stored records, in which case nothing is measured.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/session.h"
#include "cli/records/key.h"
#include "cli/report/repro/repro.h"
#include "common/text.h"
#include "common/variants.h"

enum { MAX_VARIANTS = 32 };

/* ---- measuring ---------------------------------------------------------------------------- */

static enum gb_status set_values(struct gb_sweep *sweep, const cJSON *set, struct gb_error *err)
{
	const cJSON *value;
	char number[40];

	cJSON_ArrayForEach(value, set)
	{
		(void)snprintf(number, sizeof number, "%.15g", value->valuedouble);
		if (gb_sweep_set(sweep, value->string,
				 cJSON_IsString(value) ? value->valuestring : number, err))
			return err->code;
	}
	return GB_OK;
}

/* True if the table or a column is about a number of threads, which --threads leaves alone. */
static bool says_threads(const struct gb_repro *t, const cJSON *set)
{
	return gb_json_at(t->table, "set.threads") || gb_json_at(set, "threads");
}

static enum gb_status set_point(const struct gb_repro *t, size_t row, const cJSON *set,
				struct gb_sweep *sweep, struct gb_error *err)
{
	if (set_values(sweep, gb_json_at(t->table, "set"), err) || set_values(sweep, set, err) ||
	    (!says_threads(t, set) && gb_sweep_override(sweep, "threads", t->threads, err)))
		return err->code;
	for (size_t c = 0; c < t->paper_columns; c++) {
		const char *param = t->column[c].param;
		const char *value = gb_repro_printed(&t->cell[row * t->columns + c]);

		if (param && value && gb_sweep_set(sweep, param, value, err))
			return err->code;
	}
	return GB_OK;
}

static const char *crowded(const struct gb_sweep *point)
{
	return gb_sweep_most_threads(point) > omp_get_num_procs() ? "more threads than usable CPUs"
								  : NULL;
}

static bool same_set(const cJSON *a, const cJSON *b)
{
	return (!a && !b) || (a && b && cJSON_Compare(a, b, true));
}

/* True if the column is measured with that set. */
static bool belongs(const struct gb_repro_column *column, const cJSON *set)
{
	return column->variant && same_set(column->set, set);
}

static size_t variants_of(const struct gb_repro *t, const cJSON *set, const char **variant)
{
	size_t count = 0;

	for (size_t c = 0; c < t->columns && count < MAX_VARIANTS; c++)
		if (belongs(&t->column[c], set))
			variant[count++] = t->column[c].variant;
	return count;
}

/* ---- the records of a point --------------------------------------------------------------- */

/* How to search for the records of a point. */
struct search {
	const struct gb_repro_source *source;
	const struct gb_sweep *sweep; /* the point */
	void *params;                 /* parameters of the point */
	bool any_threads;             /* match as many threads as the machine has */
};

static bool is_chosen(const struct gb_repro *t, const struct gb_variant *variant)
{
	return !t->backends || t->backends >> variant->backend & 1;
}

static const struct gb_variant *variant_of(const struct gb_repro *t,
					   const struct gb_repro_column *column)
{
	const char *benchmark = gb_json_text(t->paper, "benchmark"), *name = column->variant;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].benchmark, benchmark) && strchr(name, '/') &&
		    gb_variant_matches(&gb_variants[i], name))
			return &gb_variants[i];
	return NULL;
}

/* Remove the threads from a key: records of another machine have that machine's number. */
static void cut_threads(char *key)
{
	char *at = strstr(key, " threads="), *end;

	if (!at)
		return;
	end = strchrnul(at + 1, ' ');
	memmove(at, end, strlen(end) + 1);
}

/* True if the record has that key. */
static bool is_of(const struct search *s, const struct gb_record *record, const char *key)
{
	const double threads = gb_member_number(&record->params, "threads");
	char *copy;
	bool same;

	if (!s->any_threads)
		return gb_equal(record->key, key);
	if (fabs(threads - record->context->host.usable_cpus) > 0)
		return false;
	copy = strdup(record->key);
	if (!copy)
		return false;
	cut_threads(copy);
	same = gb_equal(copy, key);
	free(copy);
	return same;
}

/* The variant's record at the point: the last one with a time, else the last one; NULL if there is
 * none. */
static const struct gb_record *record_of(const struct search *s, const struct gb_variant *variant,
					 struct gb_error *err)
{
	const struct gb_records *list =
		s->source->session ? &s->source->session->records : s->source->stored;
	const struct gb_record *found = NULL;
	char *key;

	key = gb_record_key(s->sweep->benchmark, variant, s->params, err);
	if (key && s->any_threads)
		cut_threads(key);
	for (size_t i = list->count; key && i-- > 0 && (!found || isnan(found->time.median));)
		if ((!found || !isnan(list->record[i]->time.median)) &&
		    is_of(s, list->record[i], key))
			found = list->record[i];
	free(key);
	return found;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Measure one row with one set, or find it among the stored records. */
static enum gb_status measure_point(struct gb_repro *t, const struct gb_repro_source *source,
				    size_t row, const cJSON *set, struct gb_error *err)
{
	const struct gb_benchmark *benchmark =
		gb_benchmark_find(gb_json_text(t->paper, "benchmark"));
	const bool fixed = says_threads(t, set);
	const char *variant[MAX_VARIANTS];
	const size_t count = variants_of(t, set, variant);
	const struct gb_request *request = source->session ? source->session->request : NULL;
	struct gb_sweep sweep = { 0 };
	struct search s = { .source = source,
			    .sweep = &sweep,
			    .any_threads = !source->session && !fixed && !t->threads };

	if (count == 0)
		return GB_OK;
	if (gb_sweep_init(&sweep, benchmark, err) || set_point(t, row, set, &sweep, err))
		goto out;
	if (request && fixed && crowded(&sweep)) {
		for (size_t c = 0; c < t->columns; c++)
			if (belongs(&t->column[c], set))
				t->cell[row * t->columns + c].reason = crowded(&sweep);
		goto out;
	}
	if (request) {
		struct gb_choice choice = { .backends = t->backends, .glob_count = count };

		memcpy(choice.glob, variant, count * sizeof *variant);
		if (gb_session_sweep(source->session, &sweep, &choice, err))
			goto out;
	}
	s.params = malloc(benchmark->params_size);
	if (!s.params) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	gb_sweep_point(&sweep, 0, s.params);
	for (size_t c = 0; c < t->columns && !err->code; c++) {
		struct gb_repro_cell *cell = &t->cell[row * t->columns + c];
		const struct gb_variant *own;

		if (!belongs(&t->column[c], set))
			continue;
		own = variant_of(t, &t->column[c]);
		if (own && is_chosen(t, own))
			cell->record = record_of(&s, own, err);
		else if (own)
			cell->reason = "left out by --backend";
	}
out:
	free(s.params);
	gb_sweep_release(&sweep);
	return err->code;
}

/* Measure a row with each set of its columns once, the table's own first. */
static enum gb_status measure_row(struct gb_repro *t, const struct gb_repro_source *source,
				  size_t row, struct gb_error *err)
{
	if (measure_point(t, source, row, NULL, err))
		return err->code;
	for (size_t c = 0; c < t->columns; c++) {
		const cJSON *set = t->column[c].set;
		size_t before = 0;

		while (before < c && !same_set(t->column[before].set, set))
			before++;
		if (set && before == c && measure_point(t, source, row, set, err))
			return err->code;
	}
	return GB_OK;
}

bool gb_repro_takes(const struct gb_repro *t, size_t row, enum gb_preset preset)
{
	static const char *const paths[GB_PRESETS] = { "preset.quick", "preset.ci", "preset.paper",
						       "preset.large" };
	const cJSON *bound;

	cJSON_ArrayForEach(bound, gb_json_at(t->table, paths[preset]))
	{
		const struct gb_repro_cell index = { .published = (double)row };
		const struct gb_repro_cell *cell =
			gb_equal(bound->string, "rows") ? &index
							: gb_repro_cell_of(t, row, bound->string);

		if (cell && (cJSON_IsNumber(bound) ? cell->published > bound->valuedouble
						   : !gb_repro_lists(bound, cell)))
			return false;
	}
	return true;
}

enum gb_status gb_repro_measure(struct gb_repro *repro, const struct gb_repro_source *source,
				struct gb_error *err)
{
	repro->stored = !source->session;
	repro->threads = source->threads;
	repro->backends = source->backends;
	for (size_t r = 0; r < repro->rows && !err->code; r++) {
		repro->taken[r] = gb_repro_takes(repro, r, source->preset);
		if (repro->taken[r])
			(void)measure_row(repro, source, r, err);
	}
	gb_repro_fill(repro);
	return err->code;
}
