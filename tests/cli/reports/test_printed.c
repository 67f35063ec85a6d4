/* test_printed.c -- compares results/papers/ with numbers and names typed again from the tables of
 * the five papers: every digit must match, and no entry may be extra.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"

extern const char gb_papers[];

/* Column names, then a line per row; "-": nothing is printed.  Keys of our own (the scene that
 * replaces a mesh, a count in full) are left out. */
struct copy {
	const char *paper, *table, *columns;
	const char *row[12];
};

static const struct copy copies[] = {
	{ "radix",
	  "table1",
	  "count cpu_s gpu_s speedup",
	  { "10000 0.0040 0.0165 0.25", "50000 0.0165 0.0172 0.96", "100000 0.0322 0.0157 2.05",
	    "1000000 0.4282 0.0507 8.44", "10000000 4.4832 0.1775 25.25",
	    "50000000 22.5551 0.7623 29.59", "100000000 45.5667 1.3189 34.55",
	    "150000000 68.0333 1.9985 34.04", "200000000 95.0978 2.4788 38.36",
	    "210000000 108.0587 3.9190 27.57" } },
	{ "bfs",
	  "table1",
	  "graph p vertices edges elements",
	  { "G16K-P05 0.05 16384 13421102 268435456", "G16K-P15 0.15 16384 40263040 268435456",
	    "G16K-P32 0.32 16384 85879327 268435456", "G20K-P05 0.05 20480 20961074 419430400",
	    "G20K-P15 0.15 20480 62919715 419430400", "G20K-P32 0.32 20480 134204923 419430400",
	    "G24K-P05 0.05 24576 30196005 603979776", "G24K-P15 0.15 24576 90597539 603979776",
	    "G24K-P32 0.32 24576 193241105 603979776" } },
	{ "bfs", "worst", "load_over_search", { "1.5" } },
	{ "bfs",
	  "warp",
	  "gpu_basic_percent gpu_csr_percent gpu_ccam_percent",
	  { "- - -", "30.73 64.8 96.7", "- - -" } },
	{ "bfs", "threshold", "bytes_per_edge p", { "4 0.0625" } },
	{ "cbt", "fig12", "depth cycle_us decode_us", { "17 23 11" } },
	{ "cbt", "memory", "leaves depth heap_kib", { "1048576 20 512" } },
	{ "octree",
	  "throughput",
	  "speedup",
	  { "-", "-", "-", "-", "-", "-", "-", "-", "-", "1.84" } },
	{ "lbvh",
	  "table1",
	  "printed_scene printed_count embree_ms ours_cpu_ms ours_gpu_ms speedup",
	  { "teapot 25К 6.67 5.48 1.41 3.9", "sponza 66К 7.48 9.71 2.47 3.9",
	    "bunny 144К 13.5 21.6 4.54 4.8", "cry-sponza 243К 14.6 30.0 4.80 6.2",
	    "dragon 871К 61.7 149 20.2 7.3", "car 1.6М 88.0 199 35.4 5.6" } },
	{ "lbvh",
	  "table2",
	  "printed_scene printed_count embree_ms ours_cpu_ms ours_gpu_ms speedup",
	  { "teapot 25К 9 7.7 4.6 1.6", "sponza 66К 13.9 11.8 14.9 0.8",
	    "bunny 144К 31.3 34.0 32.4 1.1", "cry-sponza 243К 40.71 42.8 35.0 1.2",
	    "dragon 871К 120 165 109 1.5", "car 1.6М 265 379 210 1.8" } },
	{ "lbvh",
	  "table3",
	  "printed_scene printed_count embree_ms ours_cpu_ms ours_gpu_ms rtx_ms",
	  { "teapot 25К 84 123 2.4 2.0", "sponza 66К 126 365 7.0 2.5", "bunny 144К 87 161 2.71 2.1",
	    "cry-sponza 243К 177 486 14.3 3.4", "dragon 871К 138 186 4.7 1.9",
	    "car 1.6М 118 319 8.6 2.4" } },
	{ "lbvh",
	  "table4",
	  "printed_scene printed_count embree_ms ours_cpu_ms ours_gpu_ms",
	  { "teapot 25K 159 202 13.0", "sponza 66K 223 490 33.8", "bunny 144K 135 207 15.8",
	    "cry-sponza 243K 357 860 69.0", "dragon 871K 163 215 44.0", "car 1.6M 212 527 48.9" } },
	{ "lbvh",
	  "table5",
	  "printed_scene printed_count hippie_ms ours_gpu_ms",
	  { "teapot 25K 2.2 1.4", "conference 144K 3.6 4.2", "cry-sponza 243K 4.5 4.8",
	    "dragon 871K 12 20" } },
	{ "lbvh",
	  "table6",
	  "printed_scene printed_count hippie_ms ours_gpu_ms rtx_ms",
	  { "teapot 25K 2.6 2.4 2.0", "conference 280K 6.00 6.20 3.0",
	    "cry-sponza 243K 11.2 14.3 3.4", "dragon 871K 4.49 4.70 1.9" } },
};

/* The paper of this id, for cJSON_Delete(). */
static cJSON *paper_called(const char *name)
{
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);

		if (!strcmp(gb_json_text(paper, "paper"), name))
			return paper;
		cJSON_Delete(paper);
	}
	return NULL;
}

/* Cut off and return the next word of *text; NULL after the last. */
static char *next_word(char **text)
{
	return strsep(text, " ");
}

static void compare_row(const struct copy *copy, const struct gb_repro *t, size_t row)
{
	char *columns = strdup(copy->columns), *cells = strdup(copy->row[row]);
	char *names = columns, *values = cells, *name;

	while ((name = next_word(&names))) {
		const char *typed = next_word(&values);
		const size_t column = gb_repro_column(t, name);
		const char *is = gb_repro_printed(&t->cell[row * t->columns + column]);

		cr_expect(typed && !strcmp(is ? is : "-", typed), "%s:%s, row %zu, %s: %s, not %s",
			  copy->paper, copy->table, row + 1, name, is ? is : "-",
			  typed ? typed : "(none)");
	}
	cr_expect(values == NULL, "%s:%s, row %zu: more typed than columns", copy->paper,
		  copy->table, row + 1);
	free(columns);
	free(cells);
}

Test(printed, every_number_has_the_digits_of_the_paper)
{
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		cJSON *paper = paper_called(copies[i].paper);
		struct gb_error err = { 0 };
		struct gb_repro t;
		const cJSON *table;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			if (strcmp(gb_json_text(table, "id"), copies[i].table) != 0)
				continue;
			gb_repro_init(&t, paper, table, &err);
			for (size_t r = 0; r < t.rows; r++) {
				cr_assert(copies[i].row[r] != NULL, "%s: no row %zu was typed",
					  copies[i].table, r + 1);
				compare_row(&copies[i], &t, r);
			}
			cr_expect(copies[i].row[t.rows] == NULL);
			gb_repro_release(&t);
		}
		cJSON_Delete(paper);
	}
}

/* True if the copy of that table has the column. */
static bool is_typed(const char *paper, const char *table, const char *column)
{
	const size_t length = strlen(column);

	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		if (strcmp(copies[i].paper, paper) || strcmp(copies[i].table, table))
			continue;
		for (const char *at = copies[i].columns; (at = strstr(at, column)); at++)
			if ((at == copies[i].columns || at[-1] == ' ') &&
			    (at[length] == ' ' || at[length] == '\0'))
				return true;
	}
	return false;
}

/* A value in the files but not in the copy would be a number that no paper prints. */
Test(printed, no_number_is_left_out_of_the_copy)
{
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);
		const char *name = gb_json_text(paper, "paper");
		const cJSON *table;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			struct gb_error err = { 0 };
			struct gb_repro t;

			gb_repro_init(&t, paper, table, &err);
			for (size_t c = 0; c < t.paper_columns; c++) {
				bool printed = false;

				for (size_t r = 0; r < t.rows; r++)
					printed |= gb_repro_printed(&t.cell[r * t.columns + c]) !=
						   NULL;
				if (!printed || !strcmp(t.column[c].role, "key"))
					continue;
				cr_expect(
					is_typed(name, gb_json_text(table, "id"), t.column[c].name),
					"%s:%s: %s was not typed", name, gb_json_text(table, "id"),
					t.column[c].name);
			}
			gb_repro_release(&t);
		}
		cJSON_Delete(paper);
	}
}
