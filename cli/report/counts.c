/* counts.c -- prints exact counts as a table: a column is a row of columns[]. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cli/report/section.h"
#include "common/text.h"

#define OF(member) offsetof(struct gb_counts, member)
enum { TERMS = 4, SECTOR_BYTES = 32 };

/* A column shows a sum of counts times `scale`; or divided by another sum, as a percentage or, with
 * `scale`, as a number.  Atomics are performed in the L2 and are shown with the writes. */
static const struct column {
	const char *title;
	size_t sum[TERMS], of[TERMS]; /* offsets; 0: none */
	double scale;
} columns[] = {
	{ "launches", { OF(launches) }, { 0 }, 1 },
	{ "warp instr", { OF(warp_instructions) }, { 0 }, 1 },
	{ "lanes", { OF(active_lanes) }, { OF(warp_instructions) }, 1 },
	{ "diverge", { OF(divergent) }, { OF(branches) }, 0 },
	{ "barriers", { OF(barriers) }, { 0 }, 1 },
	{ "read B", { OF(global_load.sectors) }, { 0 }, SECTOR_BYTES },
	{ "least", { OF(global_load.least) }, { OF(global_load.sectors) }, 0 },
	{ "written B",
	  { OF(global_store.sectors), OF(global_atomic.sectors) },
	  { 0 },
	  SECTOR_BYTES },
	{ "least",
	  { OF(global_store.least), OF(global_atomic.least) },
	  { OF(global_store.sectors), OF(global_atomic.sectors) },
	  0 },
	{ "shared",
	  { OF(shared_load.wavefronts), OF(shared_store.wavefronts), OF(shared_atomic.wavefronts) },
	  { 0 },
	  1 },
	{ "least",
	  { OF(shared_load.least), OF(shared_store.least), OF(shared_atomic.least) },
	  { OF(shared_load.wavefronts), OF(shared_store.wavefronts), OF(shared_atomic.wavefronts) },
	  0 },
	{ "atomic", { OF(global_atomic.turns), OF(shared_atomic.wavefronts) }, { 0 }, 1 },
	{ "chain", { OF(chain) }, { 0 }, 1 },
	{ "copied B",
	  { OF(copied_bytes.to_device), OF(copied_bytes.to_host), OF(copied_bytes.on_device),
	    OF(copied_bytes.set) },
	  { 0 },
	  1 },
};
enum { COLUMNS = GB_COUNT(columns), BEFORE = 2 /* variant and kernel */ };

/* The sum of the counts at these offsets; what was not counted is 0. */
static double sum_of(const struct gb_counts *counts, const size_t *offset)
{
	double sum = 0;

	for (size_t i = 0; i < TERMS && offset[i]; i++) {
		const double *count = (const void *)((const char *)counts + offset[i]);

		sum += isnan(*count) ? 0 : *count;
	}
	return sum;
}

/* Set the cells from column `at` on; 0 leaves a cell empty. */
static void set_counts(struct gb_table *table, size_t at, const struct gb_counts *counts)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *column = &columns[i];
		const double sum = sum_of(counts, column->sum), of = sum_of(counts, column->of);
		const double value = column->scale * sum;
		char text[GB_TEXT_MAX];

		if (!((column->of[0] ? of : sum) > 0))
			continue;
		if (column->of[0] && column->scale > 0)
			(void)snprintf(text, sizeof text, "%.1f", sum / of);
		else if (column->of[0])
			(void)snprintf(text, sizeof text, "%.*f %%", 100 * sum < 9.95 * of ? 1 : 0,
				       100 * sum / of);
		else if (value < 1e4)
			(void)snprintf(text, sizeof text, "%.0f", value);
		else
			gb_text_scaled(text, value);
		gb_table_set(table, at + i, text, GB_PLAIN);
	}
}

char *gb_kernel_text(const char *kernel, char text[GB_KERNEL_TEXT])
{
	enum { MOST = GB_KERNEL_TEXT - 4 };
	const char *const arguments = kernel + strcspn(kernel, "<(");
	const char *name = arguments;
	size_t length;
	int depth = 0;

	while (name > kernel && name[-1] != ' ' && name[-1] != ':')
		name--;
	for (length = (size_t)(arguments - name); name[length]; length++) {
		if (name[length] == '(' && depth == 0)
			break;
		depth += (name[length] == '<') - (name[length] == '>');
	}
	(void)snprintf(text, GB_KERNEL_TEXT, "%.*s%s", (int)(length < MOST ? length : MOST), name,
		       length > MOST ? "..." : "");
	return text;
}

static void add_record(struct gb_table *table, const struct gb_section *section,
		       const struct gb_record *record)
{
	char text[GB_VALUE_MAX], name[GB_KERNEL_TEXT];
	size_t at = 0;

	gb_table_row(table, false);
	for (size_t i = 0; i < section->axes.count; i++)
		if (section->axes.axis[i].varies)
			gb_table_set(table, at++,
				     gb_axis_text(text, gb_axis_value(&section->axes, i, record)),
				     GB_PLAIN);
	gb_table_set(table, at, record->variant, GB_PLAIN);
	set_counts(table, at + BEFORE, &record->counts);
	for (size_t i = 0; i < record->counts.kernel_count && record->counts.kernel_count > 1;
	     i++) {
		const struct gb_counts *kernel = &record->counts.kernels[i];

		gb_table_row(table, false);
		gb_table_set(table, at + 1,
			     gb_kernel_text(kernel->kernel ? kernel->kernel : "", name), GB_PLAIN);
		set_counts(table, at + BEFORE, kernel);
	}
}

void gb_section_print_counts(const struct gb_section *section)
{
	struct gb_column column[GB_MAX_AXES + BEFORE + COLUMNS] = { { 0 } };
	size_t count = gb_axes_columns(&section->axes, column);
	struct gb_table table;

	column[count++] = (struct gb_column){ "variant", NULL, true };
	column[count++] = (struct gb_column){ "kernel", NULL, true };
	for (size_t i = 0; i < COLUMNS; i++)
		column[count++] = (struct gb_column){ columns[i].title, NULL, false };
	gb_table_init(&table, count, column);
	for (size_t i = 0; i < section->row_count; i++)
		if (section->row[i].record->counted)
			add_record(&table, section, section->row[i].record);
	if (table.rows > 1)
		gb_document_put(section->report->document, GB_LABEL, "counts of one run");
	gb_document_table(section->report->document, "counts", &table);
}
