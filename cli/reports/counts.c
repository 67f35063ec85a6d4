/* counts.c -- prints exact counts as a table. */
#include "cli/reports/counts.h"

#include <math.h>
#include <string.h>

#include "cli/reports/section.h"
#include "common/text.h"

/* ---- the table --------------------------------------------------------------------------- */

enum fixed {
	VARIANT,
	KERNEL,
	LAUNCHES,
	INSTRUCTIONS,
	LANES,
	DIVERGENT,
	BARRIERS,
	READ,
	READ_LEAST,
	WRITTEN,
	WRITTEN_LEAST,
	SHARED,
	SHARED_LEAST,
	ATOMICS,
	CHAIN,
	COPIED,
	FIXED,
};
enum { SECTOR_BYTES = 32 };

static const struct gb_column fixed_columns[FIXED] = {
	{ "variant", NULL, true },     { "kernel", NULL, true },  { "launches", NULL, false },
	{ "warp instr", NULL, false }, { "lanes", NULL, false },  { "diverge", NULL, false },
	{ "barriers", NULL, false },   { "read B", NULL, false }, { "least", NULL, false },
	{ "written B", NULL, false },  { "least", NULL, false },  { "shared", NULL, false },
	{ "least", NULL, false },      { "atomic", NULL, false }, { "chain", NULL, false },
	{ "copied B", NULL, false },
};

struct table {
	size_t axes; /* parameters that vary */
	struct gb_column column[GB_MAX_AXES + FIXED];
	struct gb_table table;
};

bool gb_section_has_counts(const struct gb_section *section)
{
	for (size_t i = 0; i < section->row_count; i++)
		if (section->row[i].record->counted)
			return true;
	return false;
}

static void choose_columns(struct table *t, const struct gb_section *section)
{
	t->axes = gb_axes_columns(&section->axes, t->column);
	memcpy(&t->column[t->axes], fixed_columns, sizeof fixed_columns);
	gb_table_init(&t->table, t->axes + FIXED, t->column);
}

static void set(struct table *t, enum fixed column, const char *text)
{
	gb_table_set(&t->table, t->axes + column, text, GB_PLAIN);
}

/* 0 leaves the cell empty. */
static void set_count(struct table *t, enum fixed column, double value)
{
	char text[GB_TEXT_MAX];

	if (!(value > 0))
		return;
	if (value < 1e4)
		(void)snprintf(text, sizeof text, "%.0f", value);
	else
		gb_text_scaled(text, value);
	set(t, column, text);
}

static void set_percent(struct table *t, enum fixed column, double part, double whole)
{
	char text[GB_TEXT_MAX];

	if (!(whole > 0))
		return;
	(void)snprintf(text, sizeof text, "%.*f %%", 100 * part < 9.95 * whole ? 1 : 0,
		       100 * part / whole);
	set(t, column, text);
}

/* 0 if not counted. */
static double known(double count)
{
	return isnan(count) ? 0 : count;
}

/* Atomics are performed in the L2 and are shown with the writes. */
static void set_memory(struct table *t, const struct gb_counts *c)
{
	const double read = known(c->global_load.sectors);
	const double written = known(c->global_store.sectors) + known(c->global_atomic.sectors);
	const double shared = known(c->shared_load.wavefronts) + known(c->shared_store.wavefronts) +
			      known(c->shared_atomic.wavefronts);

	set_count(t, READ, SECTOR_BYTES * read);
	set_percent(t, READ_LEAST, known(c->global_load.least), read);
	set_count(t, WRITTEN, SECTOR_BYTES * written);
	set_percent(t, WRITTEN_LEAST, known(c->global_store.least) + known(c->global_atomic.least),
		    written);
	set_count(t, SHARED, shared);
	set_percent(t, SHARED_LEAST,
		    known(c->shared_load.least) + known(c->shared_store.least) +
			    known(c->shared_atomic.least),
		    shared);
	set_count(t, ATOMICS, known(c->global_atomic.turns) + known(c->shared_atomic.wavefronts));
}

static void set_counts(struct table *t, const struct gb_counts *c)
{
	char text[GB_TEXT_MAX];

	set_count(t, LAUNCHES, c->launches);
	set_count(t, INSTRUCTIONS, c->warp_instructions);
	if (c->warp_instructions > 0) {
		(void)snprintf(text, sizeof text, "%.1f", c->active_lanes / c->warp_instructions);
		set(t, LANES, text);
	}
	set_percent(t, DIVERGENT, c->divergent, c->branches);
	set_count(t, BARRIERS, c->barriers);
	set_memory(t, c);
	set_count(t, CHAIN, c->chain);
	set_count(t, COPIED,
		  known(c->copied_bytes.to_device) + known(c->copied_bytes.to_host) +
			  known(c->copied_bytes.on_device) + known(c->copied_bytes.set));
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

static void add_record(struct table *t, const struct gb_section *section,
		       const struct gb_record *record)
{
	char text[GB_VALUE_MAX], name[GB_KERNEL_TEXT];
	size_t at = 0;

	gb_table_row(&t->table, false);
	for (size_t i = 0; i < section->axes.count; i++)
		if (section->axes.axis[i].varies)
			gb_table_set(&t->table, at++,
				     gb_axis_text(text, gb_axis_value(&section->axes, i, record)),
				     GB_PLAIN);
	set(t, VARIANT, record->variant);
	set_counts(t, &record->counts);
	for (size_t i = 0; i < record->kernel_count && record->kernel_count > 1; i++) {
		const struct gb_counts *kernel = &record->kernel[i];

		gb_table_row(&t->table, false);
		set(t, KERNEL, gb_kernel_text(kernel->kernel ? kernel->kernel : "", name));
		set_counts(t, kernel);
	}
}

void gb_section_print_counts(const struct gb_section *section)
{
	struct table t;

	choose_columns(&t, section);
	for (size_t i = 0; i < section->row_count; i++)
		if (section->row[i].record->counted)
			add_record(&t, section, section->row[i].record);
	gb_document_grid(section->report->document, "counts", &t.table);
}
