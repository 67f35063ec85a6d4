/* missing.c -- `repro --missing --from=FILES`: the empty cells of papers' tables, the memory and
 * time that each would take here, and commands that fill them.
 *
 * A cell is one measurement: a variant and a value for each parameter.  A command covers a product:
 * a list of values for each parameter and a list of variants.  Products that are equal but for one
 * list are joined until none are; this is tried with the variants first and last, and the shorter
 * result is printed.  It covers each cell once, and no other.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/choice.h"
#include "cli/measuring/sweep.h"
#include "cli/records/key.h"
#include "cli/reports/repro/repro.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

enum { VARIANTS = GB_MAX_PARAMS, AXES = GB_MAX_PARAMS + 1 };

/* A command.  axis[i] lists the values of parameter i, and axis[VARIANTS] the variants;
 * it is "" for the threads of the machine and for parameters that do not exist. */
struct gb_product {
	const struct gb_workload *workload;
	char *axis[AXES]; /* owned */
};

/* ---- products ----------------------------------------------------------------------------- */

static void release(struct gb_product *product)
{
	for (size_t i = 0; i < AXES; i++)
		free(product->axis[i]);
}

static bool joinable(const struct gb_product *a, const struct gb_product *b, size_t axis)
{
	if (a->workload != b->workload || !a->axis[axis][0] || !b->axis[axis][0])
		return false;
	for (size_t i = 0; i < AXES; i++)
		if (i != axis && !gb_equal(a->axis[i], b->axis[i]))
			return false;
	return true;
}

/* Join products along one axis.  Return false if memory ran out. */
static bool join_along(struct gb_product *list, size_t *count, size_t axis)
{
	for (size_t i = 0; i < *count; i++) {
		for (size_t k = i + 1; k < *count; k++) {
			char *longer = NULL;

			if (!joinable(&list[i], &list[k], axis))
				continue;
			if (asprintf(&longer, "%s%c%s", list[i].axis[axis],
				     axis == VARIANTS ? ' ' : ',', list[k].axis[axis]) < 0)
				return false;
			free(list[i].axis[axis]);
			list[i].axis[axis] = longer;
			release(&list[k]);
			memmove(&list[k], &list[k + 1], (--*count - k) * sizeof *list);
			k--;
		}
	}
	return true;
}

static bool join(struct gb_product *list, size_t *count, bool variants_first)
{
	size_t before;

	do {
		before = *count;
		for (size_t i = 0; i < AXES; i++)
			if (!join_along(list, count, variants_first ? (i + VARIANTS) % AXES : i))
				return false;
	} while (*count < before);
	return true;
}

/* A copy of the list; clears *whole if memory ran out. */
static struct gb_product *copy_of(const struct gb_product *list, size_t count, bool *whole)
{
	struct gb_product *copy = calloc(count + 1, sizeof *copy);

	*whole &= copy != NULL;
	for (size_t i = 0; copy && i < count; i++) {
		copy[i].workload = list[i].workload;
		for (size_t k = 0; k < AXES; k++) {
			copy[i].axis[k] = strdup(list[i].axis[k]);
			*whole &= copy[i].axis[k] != NULL;
		}
	}
	return copy;
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Append the measurement as a product. */
static enum gb_status add_product(struct gb_missing *m, const struct gb_sweep *sweep,
				  const char *variant, struct gb_error *err)
{
	struct gb_product *grown = reallocarray(m->product, m->products + 1, sizeof *m->product);
	struct gb_product *new;
	bool whole = grown != NULL;

	if (!grown)
		return gb_out_of_memory(err, NULL);
	m->product = grown;
	new = &grown[m->products++];
	*new = (struct gb_product){ .workload = sweep->workload };
	for (size_t i = 0; i < AXES; i++) {
		const struct gb_axis *axis = &sweep->axis[i < VARIANTS ? i : 0];
		char text[PATH_MAX] = "";

		if (i < sweep->workload->param_count &&
		    (axis->given || !gb_equal(axis->param->name, "threads")))
			gb_value_text(axis->param, axis->value[0], text, sizeof text);
		new->axis[i] = strdup(i == VARIANTS ? variant : text);
		whole &= new->axis[i] != NULL;
	}
	return whole ? GB_OK : gb_out_of_memory(err, NULL);
}

static bool is_known(struct gb_missing *m, const char *key)
{
	for (size_t i = 0; i < m->keys; i++)
		if (gb_equal(m->key[i], key))
			return true;
	return false;
}

/* Print the estimate of a measurement and note it. */
static enum gb_status plan_key(struct gb_missing *m, const char *key, const struct gb_sweep *sweep,
			       const struct gb_repro_column *column, struct gb_error *err)
{
	const size_t before = m->plan->measurements;
	const struct gb_choice choice = { .glob_count = 1, .glob = { column->variant } };

	if (gb_repro_crowded(sweep)) {
		(void)printf("%s: skipped: %s\n", key, gb_repro_crowded(sweep));
		m->plan->skipped++;
		return GB_OK;
	}
	if (!gb_plan_sweep(m->plan, sweep, &choice, err) && m->plan->measurements > before)
		(void)add_product(m, sweep, column->variant, err);
	return err->code;
}

/* Do so for a cell, unless another cell has the same measurement. */
static enum gb_status plan_cell(struct gb_missing *m, const struct gb_repro *t, size_t row,
				const struct gb_repro_column *column, struct gb_error *err)
{
	const struct gb_workload *workload = gb_workload_find(gb_json_text(t->paper, "workload"));
	const struct gb_variant *variant = gb_repro_variant(t, column);
	struct gb_sweep sweep = { 0 };
	void *params = calloc(1, workload->params_size);
	char *key = NULL, **grown;

	if (!params)
		gb_out_of_memory(err, NULL);
	if (!err->code && !gb_sweep_init(&sweep, workload, err) &&
	    !gb_repro_point(t, row, column->set, &sweep, err)) {
		gb_sweep_point(&sweep, 0, params);
		key = gb_record_key(workload, variant, params, err);
	}
	if (key && !is_known(m, key)) {
		grown = reallocarray(m->key, m->keys + 1, sizeof *m->key);
		m->key = grown ? grown : m->key;
		if (!grown) {
			gb_out_of_memory(err, NULL);
		} else {
			m->key[m->keys++] = key;
			(void)plan_key(m, key, &sweep, column, err);
			key = NULL;
		}
	}
	free(key);
	free(params);
	gb_sweep_release(&sweep);
	return err->code;
}

/* Why a cell needs a measurement; NULL if it does not.  Records of older versions have one upload
 * and one download each, and so no interval of a time that includes them. */
static const char *lack_of(const struct gb_repro *t, size_t row, size_t c)
{
	const struct gb_repro_cell *cell = &t->cell[row * t->columns + c];
	const struct gb_repro_column *column = &t->column[c];

	if (!cell->reason && column->scope && cell->record && !gb_is_cpu(cell->record) &&
	    gb_record_times(cell->record, column->value) &&
	    !gb_record_times(cell->record, "upload"))
		return "no interval, for its transfers were timed once";
	return cell->reason;
}

/* The empty cells of a column that the back ends of --backend could fill. */
static enum gb_status list_column(struct gb_missing *m, const struct gb_repro *t, size_t c,
				  struct gb_error *err)
{
	const struct gb_repro_column *column = &t->column[c];
	const struct gb_variant *variant = gb_repro_variant(t, column);
	size_t empty = 0, first = t->rows;

	for (size_t r = 0; r < t->rows; r++) {
		if (!t->taken[r] || !lack_of(t, r, c))
			continue;
		first = empty++ ? first : r;
	}
	if (!empty || !variant || !gb_repro_chosen(t, variant))
		return GB_OK;
	m->cells += empty;
	(void)printf("\n%s:%s %s: %zu of %zu empty; row %zu: %s\n", gb_json_text(t->paper, "paper"),
		     gb_json_text(t->table, "id"), column->name, empty, t->rows, first + 1,
		     lack_of(t, first, c));
	for (size_t r = first; r < t->rows && !err->code; r++)
		if (t->taken[r] && lack_of(t, r, c))
			(void)plan_cell(m, t, r, column, err);
	return err->code;
}

enum gb_status gb_repro_missing(struct gb_missing *m, const struct gb_repro *t,
				struct gb_error *err)
{
	for (size_t c = 0; c < t->columns && !err->code; c++)
		if (t->column[c].variant)
			(void)list_column(m, t, c, err);
	return err->code;
}

/* ---- commands ----------------------------------------------------------------------------- */

static enum gb_status put_command(const struct gb_missing *m, const struct gb_product *product,
				  struct gb_error *err)
{
	const struct gb_workload *workload = product->workload;
	struct gb_sweep usual = { 0 };

	if (!gb_sweep_init(&usual, workload, err))
		(void)printf("gpubench %s %s", workload->name, product->axis[VARIANTS]);
	for (size_t i = 0; i < workload->param_count && !err->code; i++) {
		const char *list = product->axis[i];
		char text[PATH_MAX];

		gb_value_text(&workload->params[i], usual.axis[i].value[0], text, sizeof text);
		if (list[0] && !gb_equal(list, text))
			(void)printf(strpbrk(list, " '\"\\$*?;&|<>()") ? " '--%s=%s'" : " --%s=%s",
				     workload->params[i].name, list);
	}
	gb_sweep_release(&usual);
	if (!err->code)
		(void)printf("%s -o missing.jsonl --resume\n", m->options);
	return err->code;
}

enum gb_status gb_repro_commands(const struct gb_missing *m, struct gb_error *err)
{
	struct gb_product *list[2];
	size_t count[2] = { m->products, m->products };
	bool whole = true;
	int best;

	for (int k = 0; k < 2; k++) {
		list[k] = copy_of(m->product, m->products, &whole);
		whole = whole && join(list[k], &count[k], k == 0);
	}
	best = count[1] < count[0];
	if (!whole)
		gb_out_of_memory(err, NULL);
	else
		(void)printf("\nempty cells: %zu; their measurements: %zu; possible here: %zu; "
			     "commands for these: %zu\n",
			     m->cells, m->keys, m->products, count[best]);
	for (size_t i = 0; whole && i < count[best] && !err->code; i++)
		(void)put_command(m, &list[best][i], err);
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; list[k] && i < count[k]; i++)
			release(&list[k][i]);
		free(list[k]);
	}
	return err->code;
}

void gb_missing_release(struct gb_missing *m)
{
	for (size_t i = 0; i < m->products; i++)
		release(&m->product[i]);
	for (size_t i = 0; i < m->keys; i++)
		free(m->key[i]);
	free(m->product);
	free(m->key);
	*m = (struct gb_missing){ 0 };
}
