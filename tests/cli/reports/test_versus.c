/* test_versus.c -- machines side by side: which records share a cell, the content of cells, and the
 * totals.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/versus/mixes.h"
#include "cli/reports/versus/print.h"
#include "cli/reports/versus/versus.h"
#include "tests/line_of.h"

static struct gb_records list;

static void release(void)
{
	gb_records_release(&list);
}

TestSuite(versus, .fini = release);

static void add_run(const char *id, const char *cpu, const char *gpu)
{
	char text[400];

	snprintf(text, sizeof text,
		 "{\"type\":\"run\",\"run_id\":\"%s\",\"host\":{\"hostname\":\"h\",\"cpu\":\"%s\"},"
		 "\"tool\":{\"commit\":\"%s\"},\"settings\":{\"device\":1},"
		 "\"gpus\":[{\"id\":0,\"name\":\"none\"},{\"id\":1,\"name\":\"%s\"}]}",
		 id, cpu, id, gpu);
	add_line_of(&list, text);
}

static void add(const char *id, const char *backend, const char *key, double ns,
		const char *members)
{
	char text[400];
	int n = snprintf(text, sizeof text,
			 "{\"type\":\"record\",\"run_id\":\"%s\",\"key\":\"%s\",\"bench\":\"b\","
			 "\"backend\":\"%s\"%s",
			 id, key, backend, members);

	if (ns > 0)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      ",\"time\":{\"median\":%g,\"samples\":[%g,%g]},"
			      "\"work\":{\"items\":%g}",
			      2 * ns, 3 * ns, ns, 2 * ns);
	snprintf(text + n, sizeof text - (size_t)n, "}");
	add_line_of(&list, text);
}

#define OK ",\"status\":\"ok\",\"verify\":{\"result\":\"pass\"}"

static struct gb_versus versus_of(enum gb_versus_by by)
{
	struct gb_versus v = { .by = by };
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_versus_init(&v, &list, &err), GB_OK));
	return v;
}

/* A run counts for its GPU in GPU variants and for its CPU in others.  Launches are pooled. */
Test(versus, columns_are_the_devices_of_the_back_ends)
{
	struct gb_versus v;

	add_run("1", "X", "A");
	add_run("2", "X", "B");
	for (int i = 1; i <= 2; i++) {
		const char *id = i == 1 ? "1" : "2";

		add(id, "cuda", "k", 100 / i, OK);
		add(id, "cpu", "c", 100 * i, OK);
	}
	v = versus_of(GB_BY_MACHINE);
	cr_assert(eq(sz, v.table_count, 2));
	cr_assert(eq(sz, v.table[0].column_count, 2));
	cr_assert(eq(sz, v.table[1].column_count, 1));
	cr_expect(eq(str, v.column[v.table[0].column[1]].name, "B"));
	cr_expect(eq(str, v.column[v.table[1].column[0]].name, "X"));
	cr_expect(eq(sz, v.table[1].row[0].cell[0].launches, 2));
	cr_expect(ieee_ulp_eq(dbl, v.table[1].row[0].cell[0].ns, 300, 4));
	cr_expect(ieee_ulp_eq(dbl, v.table[0].row[0].cell[1].speed_up.estimate, 2, 4));
	cr_expect(ieee_ulp_eq(dbl, v.table[0].row[0].cell[1].rate, 1e9, 4));
	cr_expect(isnan(v.table[0].row[0].cell[1].speed_up.interval.low));
	cr_expect(isnan(v.table[0].row[0].cell[0].speed_up.estimate));
	gb_versus_release(&v);
	v = versus_of(GB_BY_COMMIT);
	cr_expect(eq(sz, v.table_count, 3)); /* each GPU has its own commits */
	cr_expect(eq(sz, v.speed_ups, 1));
	gb_versus_release(&v);
}

/* Virtual machines with one name but different caches are two columns, named by the difference. */
Test(versus, machines_of_one_name_are_two_columns)
{
	static const char *const l3[] = { "115343360", "527433728" };
	struct gb_versus v;

	for (size_t i = 0; i < 2; i++) {
		char text[500], id[] = "1";

		id[0] = (char)('1' + i);
		snprintf(
			text, sizeof text,
			"{\"type\":\"run\",\"run_id\":\"%s\",\"host\":{\"hostname\":\"vm\",\"cpu\":"
			"\"EPYC\",\"cpu_vendor\":\"AMD\",\"cpu_family\":25,\"cpu_model\":17,"
			"\"cpu_stepping\":1,\"sockets\":1,\"cores\":2,\"l1d_bytes\":32768,"
			"\"l2_bytes\":1048576,\"l3_bytes\":%s,\"memory_bytes\":8589934592}}",
			id, l3[i]);
		add_line_of(&list, text);
		add(id, "cpu", "c", 100, OK);
	}
	v = versus_of(GB_BY_MACHINE);
	cr_assert(eq(sz, v.table[0].column_count, 2));
	cr_expect(eq(str, v.column[0].name, (char *)list.run[0]->on_cpu.text));
	cr_expect(eq(str, v.column[1].name, (char *)list.run[1]->on_cpu.text));
	cr_expect(strstr(v.column[0].name, "L3 110 MiB") != NULL, "%s", v.column[0].name);
	cr_expect(strstr(v.column[1].name, "L3 503 MiB") != NULL, "%s", v.column[1].name);
	gb_versus_release(&v);
}

/* Four launches per side have an interval, three have none, however many the other side has.  A
 * repeated launch counts once. */
Test(versus, intervals_need_four_launches)
{
	struct gb_versus v;
	char id[] = "a0";

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < (side ? 4 : 9); i++) {
			id[0] = (char)('a' + side);
			id[1] = (char)('0' + i);
			add_run(id, "X", side ? "B" : "A");
			if (i < 4)
				add(id, "cuda", "four", 1000 + i, OK);
			if (i < 3 || side == 0)
				add(id, "cuda", "three", 1000 + i, OK);
			if (i == 0)
				add(id, "cuda", "three", 1000 + i, OK);
		}
	v = versus_of(GB_BY_MACHINE);
	cr_assert(eq(sz, v.table[0].row_count, 2));
	cr_expect(v.table[0].row[0].cell[1].speed_up.interval.low > 0);
	cr_expect(eq(sz, v.table[0].row[1].cell[1].launches, 3));
	cr_expect(isnan(v.table[0].row[1].cell[1].speed_up.interval.low));
	cr_expect(ieee_ulp_eq(dbl, v.table[0].row[0].cell[1].speed_up.estimate, 1, 4));
	gb_versus_release(&v);
}

#define FAILED     ",\"status\":\"failed\",\"reason\":\"r\""
#define SKIPPED    ",\"status\":\"skipped\""
#define UNVERIFIED ",\"status\":\"unverified\""

/* A cell of one launch or two: a failure counts first, then a time. */
Test(versus, each_state)
{
	static const struct {
		const char *members[2];
		enum gb_verdict_word state;
		double speed_up;
	} want[] = {
		{ { OK }, GB_UNSURE, 2 },
		{ { FAILED }, GB_FAILED_RUN, NAN },
		{ { SKIPPED }, GB_ABSENT, NAN },
		{ { UNVERIFIED }, GB_UNVERIFIED, NAN },
		{ { OK ",\"emulated\":true" }, GB_ABSENT, NAN },
		{ { OK, FAILED }, GB_FAILED_RUN, NAN },
		{ { FAILED, OK }, GB_FAILED_RUN, NAN },
		{ { OK, SKIPPED }, GB_UNSURE, 2 },
		{ { SKIPPED, OK }, GB_UNSURE, 4 },
		{ { UNVERIFIED, OK }, GB_UNSURE, 4 },
		{ { UNVERIFIED, SKIPPED }, GB_UNVERIFIED, NAN },
		{ { SKIPPED, UNVERIFIED }, GB_UNVERIFIED, NAN },
	};
	const size_t count = GB_COUNT(want);
	struct gb_versus v;
	char key[] = "a";

	add_run("1", "X", "A");
	add_run("2", "X", "B");
	add_run("3", "X", "B");
	for (size_t i = 0; i < count; i++) {
		key[0] = (char)('a' + i);
		add("1", "cuda", key, 20, OK);
		for (size_t k = 0; k < 2; k++) {
			const char *of = want[i].members[k];

			if (of)
				add(k ? "3" : "2", "cuda", key,
				    !strcmp(of, FAILED) || !strcmp(of, SKIPPED) ? 0
				    : k                                         ? 5
										: 10,
				    of);
		}
	}
	add("1", "cuda", "alone", 20, OK);
	add("1", "cuda", "a", 40, OK ",\"cold\":false");
	v = versus_of(GB_BY_MACHINE);
	cr_assert(eq(sz, v.table[0].row_count, count + 2));
	for (size_t i = 0; i < count; i++) {
		const struct gb_versus_cell *cell = &v.table[0].row[i].cell[1];

		cr_expect(eq(int, (int)cell->verdict, (int)want[i].state), "%zu", i);
		cr_expect(eq(int, isnan(cell->ns), isnan(want[i].speed_up)), "%zu", i);
		cr_expect(isnan(want[i].speed_up)
				  ? isnan(cell->speed_up.estimate)
				  : fabs(cell->speed_up.estimate - want[i].speed_up) < 1e-12,
			  "%zu: %g", i, cell->speed_up.estimate);
	}
	cr_expect(eq(str, (char *)v.table[0].row[1].cell[1].reason, "r"));
	cr_expect(eq(int, (int)v.table[0].row[count].cell[1].verdict, GB_ABSENT));
	cr_expect(v.table[0].row[count + 1].hot && v.table[0].mixed_caches);
	/* of 2, 2, 4 and 4 */
	cr_expect(ieee_ulp_eq(dbl, gb_versus_mean_of(&v.table[0], 1, false).speed_up, sqrt(8), 8));
	cr_expect(eq(sz, gb_versus_mean_of(&v.table[0], 1, false).rows, 4));
	cr_expect(eq(sz, gb_versus_mean_of(&v.table[0], 1, true).rows, 0));
	gb_versus_release(&v);
}

/* Rows omit the threads, at any position in the key.  GPU variants have none. */
Test(versus, threads_side_by_side)
{
	struct gb_versus v;

	add_run("1", "X", "A");
	add("1", "cpu", "b/cpu/a n=1 threads=1 x=2", 12, OK ",\"threads\":1");
	add("1", "cpu", "b/cpu/a n=1 threads=2 x=2", 8, OK ",\"threads\":2");
	add("1", "cpu", "b/cpu/c threads=2", 5, OK ",\"threads\":2");
	add("1", "cuda", "b/cuda/a n=1", 1, OK);
	v = versus_of(GB_BY_THREADS);
	cr_assert(eq(sz, v.table_count, 1));
	cr_assert(eq(sz, v.table[0].row_count, 2));
	cr_assert(eq(sz, v.column_count, 2));
	cr_expect(eq(str, v.column[0].name, "1 thread"));
	cr_expect(eq(str, v.column[1].name, "2 threads"));
	cr_expect(eq(str, (char *)v.table[0].row[0].key, "b/cpu/a n=1 x=2"));
	cr_expect(eq(str, (char *)v.table[0].row[1].key, "b/cpu/c"));
	cr_expect(ieee_ulp_eq(dbl, v.table[0].row[0].cell[1].speed_up.estimate, 1.5, 8));
	cr_expect(eq(int, (int)v.table[0].row[1].cell[0].verdict, GB_ABSENT));
	cr_expect(eq(sz, v.left_out, 1));
	gb_versus_release(&v);
}

Test(versus, nothing_to_show)
{
	struct gb_versus v = { .by = GB_BY_DRIVER };
	struct gb_error err = { 0 };

	add_run("1", "X", "A");
	add("1", "cpu", "c", 10, OK);
	cr_expect(eq(int, (int)gb_versus_init(&v, &list, &err), GB_EUSAGE));
	cr_expect(eq(str, err.message, "the files have no record of a GPU"));
	gb_versus_release(&v);
}

/* A table without a speed-up names what another column lacks, which need not be the last one.
 * Without its threads, a key is that of no record. */
Test(versus, wanted)
{
	static const struct {
		enum gb_versus_by by;
		const char *line;
	} row[] = {
		{ GB_BY_MACHINE, "B has m, which A lacks: gpubench b vulkan/v\n" },
		{ GB_BY_THREADS, "1 thread has n=1, which 2 threads lacks\n" },
	};

	add_run("1", "X", "A");
	add_run("2", "X", "B");
	add("1", "cuda", "k", 10, OK);
	add("2", "vulkan", "m", 10, OK);
	add("1", "vulkan", "n", 10, OK);
	add("1", "cpu", "n=1 threads=1", 10, OK ",\"threads\":1");
	add("1", "cpu", "n=2 threads=2", 10, OK ",\"threads\":2");
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_versus v = versus_of(row[i].by);
		struct gb_error err = { 0 };
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		cr_assert_not(
			gb_versus_print(file, &v, &list, GB_SHOW_TIME, GB_FORMAT_TABLE, &err));
		(void)fclose(file);
		cr_expect(strstr(text, row[i].line) != NULL, "%s", text);
		free(text);
		gb_versus_release(&v);
	}
}

/* Different values are listed once, in their order, the first four by name. */
Test(versus, mixes)
{
	static const struct {
		const char *commits, *text; /* a letter for each record */
		size_t count;
	} row[] = {
		{ "", "", 0 },
		{ "a", "a", 1 },
		{ "aba", "a, b", 2 },
		{ "abcddcba", "a, b, c, d", 4 },
		{ "abcdea", "a, b, c, d, ...", 5 },
		{ "abcdefg", "a, b, c, d, ...", 5 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_versus_mix mix = gb_versus_mix_begin(0, 3);
		char text[100] = "";

		cr_expect(eq(str, (char *)mix.name, "commit"));
		for (const char *c = row[i].commits; *c; c++) {
			const char id[] = { *c, '\0' };

			add_run(id, "X", "A");
			add(id, "cpu", "k", 100, OK);
			gb_versus_mix_add(&mix, list.record[list.count - 1]);
		}
		cr_expect(eq(sz, mix.count, row[i].count), "%s", row[i].commits);
		cr_expect(
			eq(str, gb_versus_mix_text(&mix, text, sizeof text), (char *)row[i].text));
	}
}

/* The names of columns, of a GPU's records and a CPU's. */
Test(versus, names_of_columns)
{
	static const struct {
		enum gb_versus_by by;
		const char *backend, *members, *name;
	} row[] = {
		{ GB_BY_COMPILER, "cpu", "\"tool\":{\"compiler\":\"gcc 12\",\"nvcc\":\"12.2\"}",
		  "gcc 12" },
		{ GB_BY_COMPILER, "cuda", "\"tool\":{\"compiler\":\"gcc 12\",\"nvcc\":\"12.2\"}",
		  "nvcc 12.2" },
		{ GB_BY_COMPILER, "cuda", "\"tool\":{\"compiler\":\"gcc 12\"}", "gcc 12" },
		{ GB_BY_DRIVER, "cuda", "\"cuda\":{\"driver\":\"535.1\"}", "driver 535.1" },
		{ GB_BY_DRIVER, "vulkan",
		  "\"settings\":{\"device\":0},\"gpus\":[{\"id\":0,\"vulkan\":{\"driver\":\"7\"}}]",
		  "driver 7" },
		{ GB_BY_DRIVER, "cuda", "\"gpus\":[]", "unknown" },
		{ GB_BY_COMMIT, "cpu", "\"tool\":{\"commit\":\"c\",\"dirty\":true}",
		  "c with changes" },
		{ GB_BY_COMMIT, "cpu", "\"tool\":{\"commit\":\"c\",\"dirty\":false}", "c" },
		{ GB_BY_COMMIT, "cpu", "\"tool\":{\"dirty\":true}", "unknown" },
		{ GB_BY_HOST, "cpu", "\"host\":{\"hostname\":\"h\"}", "h" },
		{ GB_BY_MACHINE, "cpu", "\"host\":{\"cpu\":\"Z80\"}", "Z80" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[300];
		struct gb_versus v;

		(void)snprintf(text, sizeof text, "{\"type\":\"run\",\"run_id\":\"a\",%s}",
			       row[i].members);
		add_line_of(&list, text);
		add("a", row[i].backend, "k", 100, OK);
		v = versus_of(row[i].by);
		cr_assert(eq(sz, v.column_count, 1), "row %zu", i);
		cr_expect(eq(str, v.column[0].name, (char *)row[i].name));
		gb_versus_release(&v);
		release();
	}
}

/* Equal times are neither faster nor slower.  One mean has no mean of its own. */
Test(versus, printed)
{
	static const struct {
		const char *words;
		bool there;
	} row[] = {
		{ "<td class=\"right\">1.000</td><td class=\"right\">1.000 to 1.000</td><td "
		  "class=\"span\">",
		  true },
		{ "<td class=\"left\">cuda, hot</td>", true },
		{ ">all</td>", false },
		{ "<p>no cold row has a time on both sides: no speed-up of B</p>", true },
		{ "<p>geometric mean of the speed-ups over 1 of 1 hot rows: 1.000 on B</p>", true },
		{ "<p>B has no record of 2 of 3 rows (-)</p>", true },
		{ "<p>failed on A: f: r</p>", true },
		{ "<p>A has no record", false },
	};
	struct gb_versus v;
	struct gb_error err = { 0 };
	char id[] = "a0", *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; i < 8; i++) {
		id[0] = i < 4 ? 'a' : 'b';
		id[1] = (char)('0' + i);
		add_run(id, "X", i < 4 ? "A" : "B");
		if (i == 0)
			add(id, "cuda", "f", 0, FAILED);
		add(id, "cuda", "k", 1000, OK ",\"cold\":false");
		if (i < 4)
			add(id, "cuda", "k", 2000, OK ",\"cold\":true");
		add(id, "cpu", "c", 1000, OK);
	}
	v = versus_of(GB_BY_MACHINE);
	cr_expect(eq(int, (int)v.table[0].row[1].cell[1].verdict, GB_UNSURE));
	cr_assert(eq(int, (int)gb_versus_print(file, &v, &list, GB_SHOW_TIME, GB_FORMAT_HTML, &err),
		     GB_OK));
	(void)fclose(file);
	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect(eq(int, strstr(text, row[i].words) != NULL, row[i].there), "%s in\n%s",
			  row[i].words, text);
	free(text);
	gb_versus_release(&v);
}
