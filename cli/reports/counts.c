#include "cli/reports/counts.h"

#include <math.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/grid_print.h"
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

static const char *const titles[FIXED] = {
	"variant",  "kernel", "launches", "warp instr", "lanes", "diverge",
	"barriers", "read B", "least",    "written B",  "least", "shared",
	"least",    "atomic", "chain",    "copied B",
};

struct table {
	size_t axes, axis[GB_MAX_AXES]; /* the parameters that vary */
	const char *title[GB_MAX_AXES + FIXED];
	bool left[GB_MAX_AXES + FIXED];
	struct gb_grid grid;
};

bool gb_section_has_counts(const struct gb_section *section)
{
	for (size_t i = 0; i < section->row_count; i++)
		if (gb_json_at(section->row[i].record, "counts"))
			return true;
	return false;
}

static void choose_columns(struct table *t, const struct gb_section *section)
{
	*t = (struct table){ 0 };
	for (size_t i = 0; i < section->axes.count; i++) {
		if (!section->axes.axis[i].varies)
			continue;
		t->title[t->axes] = section->axes.axis[i].name;
		t->left[t->axes] = !cJSON_IsNumber(section->axes.axis[i].value);
		t->axis[t->axes++] = i;
	}
	for (size_t i = 0; i < FIXED; i++)
		t->title[t->axes + i] = titles[i];
	t->left[t->axes + VARIANT] = t->left[t->axes + KERNEL] = true;
	gb_grid_init(&t->grid, t->axes + FIXED, t->title, t->left);
}

static void set(struct table *t, enum fixed column, const char *text)
{
	gb_grid_set(&t->grid, t->axes + column, text, GB_PLAIN);
}

/* 0 is left empty. */
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

static double sum_of(const cJSON *counts, const char *a, const char *b, const char *c)
{
	return gb_json_number(counts, a) + gb_json_number(counts, b) +
	       (c ? gb_json_number(counts, c) : 0);
}

/* Atomics read and write in the L2: they are shown with the writes. */
static void set_memory(struct table *t, const cJSON *counts)
{
	const double read = counts->global_load.sectors;
	const double written =
		sum_of(counts, "global_store.sectors", "global_atomic.sectors", NULL);
	const double shared = sum_of(counts, "shared_load.wavefronts", "shared_store.wavefronts",
				     "shared_atomic.wavefronts");

	set_count(t, READ, SECTOR_BYTES * read);
	set_percent(t, READ_LEAST, counts->global_load.least, read);
	set_count(t, WRITTEN, SECTOR_BYTES * written);
	set_percent(t, WRITTEN_LEAST,
		    sum_of(counts, "global_store.least", "global_atomic.least", NULL), written);
	set_count(t, SHARED, shared);
	set_percent(
		t, SHARED_LEAST,
		sum_of(counts, "shared_load.least", "shared_store.least", "shared_atomic.least"),
		shared);
	set_count(t, ATOMICS,
		  sum_of(counts, "global_atomic.turns", "shared_atomic.wavefronts", NULL));
}

static void set_counts(struct table *t, const cJSON *counts)
{
	const double instructions = counts->warp_instructions;
	const double copied = sum_of(counts, "copied_bytes.to_device", "copied_bytes.to_host",
				     "copied_bytes.on_device") +
			      counts->copied_bytes.set;
	char text[GB_TEXT_MAX];

	set_count(t, LAUNCHES, counts->launches);
	set_count(t, INSTRUCTIONS, instructions);
	if (instructions > 0) {
		(void)snprintf(text, sizeof text, "%.1f",
			       counts->active_lanes / instructions);
		set(t, LANES, text);
	}
	set_percent(t, DIVERGENT, counts->divergent,
		    counts->branches);
	set_count(t, BARRIERS, counts->barriers);
	set_memory(t, counts);
	set_count(t, CHAIN, counts->chain);
	set_count(t, COPIED, copied);
}

/* The kernel's name without its result, namespaces and parameters. */
static void set_kernel(struct table *t, const char *kernel)
{
	enum { MOST = 50 };
	const char *const arguments = kernel + strcspn(kernel, "<(");
	const char *name = arguments;
	size_t length;
	int depth = 0;
	char text[MOST + 4];

	while (name > kernel && name[-1] != ' ' && name[-1] != ':')
		name--;
	for (length = (size_t)(arguments - name); name[length]; length++) {
		if (name[length] == '(' && depth == 0)
			break;
		depth += (name[length] == '<') - (name[length] == '>');
	}
	(void)snprintf(text, sizeof text, "%.*s%s", (int)(length < MOST ? length : MOST), name,
		       length > MOST ? "..." : "");
	set(t, KERNEL, text);
}

static void add_record(struct table *t, const struct gb_section *section, const struct gb_record *record)
{
	const cJSON *counts = gb_json_at(record, "counts"), *kernel;
	const char *variant = record->variant;
	char text[GB_VALUE_MAX];

	gb_grid_row(&t->grid, false);
	for (size_t i = 0; i < t->axes; i++) {
		const cJSON *value = gb_axis_value(&section->axes, t->axis[i], record);

		gb_grid_set(&t->grid, i, gb_axis_text(text, value), GB_PLAIN);
	}
	set(t, VARIANT, variant ? variant : "");
	set_counts(t, counts);
	if (cJSON_GetArraySize(gb_json_at(counts, "kernels")) < 2)
		return;
	cJSON_ArrayForEach(kernel, gb_json_at(counts, "kernels"))
	{
		const char *name = kernel->kernel;

		gb_grid_row(&t->grid, false);
		set_kernel(t, name ? name : "");
		set_counts(t, kernel);
	}
}

enum gb_status gb_section_print_counts(const struct gb_section *section, struct gb_error *err)
{
	const struct gb_grid_style style = { section->table->markup, section->table->style->color };
	struct table t;
	enum gb_status status;

	choose_columns(&t, section);
	for (size_t i = 0; i < section->row_count; i++)
		if (gb_json_at(section->row[i].record, "counts"))
			add_record(&t, section, section->row[i].record);
	status = gb_grid_print(section->table->file, &t.grid, &style, err);
	gb_grid_release(&t.grid);
	return status;
}

/* ---- what differs ------------------------------------------------------------------------ */

/* A walk over the sums of one side, beside those of the other. */
struct walk {
	const cJSON *base, *new_; /* the whole objects */
	bool again;               /* of new_: what base has was seen */
	bool (*each)(const struct gb_count_change *change, void *closure);
	void *closure;
};

/* There is no better or worse in how the work is cut up. */
static bool is_cost(const char *path)
{
	static const char *const neutral[] = { "blocks", "threads", "active_lanes", "least" };
	const char *dot = strrchr(path, '.');
	const char *name = dot ? dot + 1 : path;

	for (size_t i = 0; i < GB_COUNT(neutral); i++)
		if (gb_equal(name, neutral[i]))
			return false;
	return true;
}

static bool see_number(const struct walk *walk, const char *path)
{
	const double base = gb_json_number(walk->base, path);
	const double new_ = gb_json_number(walk->new_, path);
	struct gb_count_change change = { .base = isnan(base) ? 0 : base,
					  .new_ = isnan(new_) ? 0 : new_,
					  .cost = is_cost(path) };

	if (change.base == change.new_ || (walk->again && !isnan(base)))
		return true;
	(void)snprintf(change.name, sizeof change.name, "%s", path);
	return walk->each(&change, walk->closure);
}

/* The numbers of an object, and of the objects in it; not the kernels, an array. */
static bool see_object(const struct walk *walk, const cJSON *object, const char *before)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
	{
		char path[64];

		if (!item->string)
			continue;
		(void)snprintf(path, sizeof path, "%.30s%.30s%s", before, item->string,
			       cJSON_IsObject(item) ? "." : "");
		if (cJSON_IsNumber(item) && !see_number(walk, path))
			return false;
		/* The counts are no deeper. */
		if (cJSON_IsObject(item) && !*before && !see_object(walk, item, path))
			return false;
	}
	return true;
}

bool gb_counts_differ(const cJSON *base, const cJSON *new_,
		      bool (*each)(const struct gb_count_change *change, void *closure),
		      void *closure)
{
	struct walk walk = { base, new_, false, each, closure };

	if (!base || !new_)
		return true;
	if (!see_object(&walk, base, ""))
		return false;
	walk.again = true;
	return see_object(&walk, new_, "");
}
