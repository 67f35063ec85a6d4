/* test_setups.c -- permitted differences between two sides, and those that prevent a comparison. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "cli/report/compare/compare_records.h"
#include "tests/line_of.h"

/* Add a run with these members, on host x by default, and one record per letter of `keys`. */
static void add_run(struct gb_records *list, const char *id, const char *members, const char *keys,
		    const char *backend, const char *record_members)
{
	char text[1024];

	snprintf(text, sizeof text, "{\"type\":\"run\",\"run_id\":\"%s\"%s%s}", id,
		 strstr(members, "hostname") ? "" : ",\"host\":{\"hostname\":\"x\"}", members);
	add_line_of(list, text);
	for (; *keys; keys++) {
		snprintf(text, sizeof text,
			 "{\"type\":\"record\",\"run_id\":\"%s\",\"key\":\"%c\",\"backend\":\"%s\","
			 "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
			 "\"time\":{\"median\":1e6,\"samples\":[1e6]}%s}",
			 id, *keys, backend, record_members);
		add_line_of(list, text);
	}
}

/* The differences as "NAME: BASE | NEW;".  A '!' marks one that prevents the comparison. */
static const char *differences(const struct gb_records *base, const struct gb_records *other)
{
	static char seen[2000];
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_error err = { 0 };
	size_t n = 0;

	seen[0] = '\0';
	cr_assert(eq(int, (int)gb_compare(&c, base, other, &err), GB_OK));
	for (size_t i = 0; i < c.setups.count; i++) {
		const struct gb_setup_part *part = &c.setups.part[i];

		if (part->differs)
			n += (size_t)snprintf(seen + n, sizeof seen - n, "%s%s: %s | %s;",
					      part->name, part->refused ? "!" : "",
					      part->base[0] ? part->base : "unknown",
					      part->new_[0] ? part->new_ : "unknown");
	}
	gb_comparison_release(&c);
	return seen;
}

/* Check the differences between two sides whose run lines and records have these members. */
static void expect(const char *want, const char *backend, const char *const run[2],
		   const char *const record[2])
{
	struct gb_records side[2] = { 0 };

	for (size_t i = 0; i < 2; i++)
		add_run(&side[i], i == 0 ? "1" : "2", run[i], "k", backend, record[i]);
	cr_expect(eq(str, (char *)differences(&side[0], &side[1]), (char *)want));
	for (size_t i = 0; i < 2; i++)
		gb_records_release(&side[i]);
}

static const char *const ALIKE[2] = { "", "" };

static void expect_runs(const char *want, const char *backend, const char *base, const char *other)
{
	expect(want, backend, (const char *const[2]){ base, other }, ALIKE);
}

static void expect_records(const char *want, const char *backend, const char *base,
			   const char *other)
{
	expect(want, backend, ALIKE, (const char *const[2]){ base, other });
}

Test(setups, each_part)
{
	expect_records("", "cpu", ",\"cold\":true", ",\"cold\":true");
	expect_records("cache mode!: cold | hot;", "cpu", ",\"cold\":true", ",\"cold\":false");
	expect_records("library: Embree 3.13.5 | Embree 4.3.3;", "cpu",
		       ",\"library\":\"Embree 3.13.5\"", ",\"library\":\"Embree 4.3.3\"");
	expect_runs("CPU!: A, on x | B, on y;host: x | y;", "cpu",
		    ",\"host\":{\"cpu\":\"A\",\"hostname\":\"x\"}",
		    ",\"host\":{\"cpu\":\"B\",\"hostname\":\"y\"}");
	expect_runs("compiler flags: -O3 -g | -O2;", "cpu",
		    ",\"tool\":{\"commit\":\"a\",\"dirty\":true,\"cflags\":\"-O3 -g\"}",
		    ",\"tool\":{\"commit\":\"b\",\"dirty\":false,\"cflags\":\"-O2\"}");
	expect_runs("environment: OMP_PROC_BIND=true | none;", "cpu",
		    ",\"environment\":{\"OMP_PROC_BIND\":\"true\"}", ",\"environment\":{}");
	expect_runs("environment: OMP_A=1 OMP_B= | OMP_B= OMP_A=2;", "cpu",
		    ",\"environment\":{\"OMP_A\":\"1\",\"OMP_B\":\"\"}",
		    ",\"environment\":{\"OMP_B\":\"\",\"OMP_A\":\"2\"}");
	expect_runs("", "cpu", ",\"environment\":{\"OMP_A\":\"1\",\"OMP_B\":\"2\"}",
		    ",\"environment\":{\"OMP_B\":\"2\",\"OMP_A\":\"1\"}");
	expect_runs("--samples: 0 | 30;", "cpu", ",\"settings\":{\"samples\":0,\"warmup\":2}",
		    ",\"settings\":{\"samples\":30,\"warmup\":2}");
	/* A member that one side lacks is not a difference. */
	expect_runs("", "cpu", ",\"host\":{\"hostname\":\"x\",\"governor\":null}",
		    ",\"host\":{\"hostname\":\"x\",\"governor\":\"performance\"}");
}

#define GPU(name, uuid, driver)                                                        \
	",\"cuda\":{\"driver\":\"" driver "\"},\"settings\":{\"device\":1},\"gpus\":[" \
	"{\"id\":0,\"name\":\"other\"},{\"id\":1,\"name\":\"" name "\",\"uuid\":\"" uuid "\"}]"

Test(setups, gpus_only_affect_gpu_records)
{
	expect_runs("GPU!: H100 | A100;GPU uuid: u | v;driver: 550 | 555;", "cuda",
		    GPU("H100", "u", "550"), GPU("A100", "v", "555"));
	expect_runs("GPU uuid: u | v;", "cuda", GPU("H100", "u", "550"), GPU("H100", "v", "550"));
	expect_runs("", "cuda", GPU("H100", "u", "550"), GPU("H100", "u", "550"));
	expect_runs("", "cpu", GPU("H100", "u", "550"), GPU("A100", "v", "555"));
	expect_runs("", "cuda", ",\"host\":{\"hostname\":\"x\",\"cpu\":\"A\"}",
		    ",\"host\":{\"hostname\":\"x\",\"cpu\":\"B\"}");
}

Test(setups, clocks_by_more_than_a_twentieth)
{
	expect_records("", "cuda", ",\"gpu_state\":{\"sm_clock_hz\":[3e9,2e9,1e9,4e9]}",
		       ",\"gpu_state\":{\"sm_clock_hz\":[1.04e9]}");
	expect_records("SM clock in Hz: 1000000000 | 1200000000;", "cuda",
		       ",\"gpu_state\":{\"sm_clock_hz\":[1e9]}",
		       ",\"gpu_state\":{\"sm_clock_hz\":[1.2e9]}");
}

/* Hot and cold runs in both files are not a difference, unless a key was measured in both ways. */
Test(setups, key_by_key)
{
	struct gb_records base = { 0 }, other = { 0 };

	add_run(&base, "1", "", "a", "cpu", ",\"cold\":true");
	add_run(&base, "2", "", "b", "cpu", ",\"cold\":false");
	add_run(&other, "3", "", "a", "cpu", ",\"cold\":true");
	add_run(&other, "4", "", "b", "cpu", ",\"cold\":false");
	cr_expect(eq(str, (char *)differences(&base, &other), ""));
	add_run(&base, "5", "", "c", "cpu", ",\"cold\":false"); /* not in other */
	cr_expect(eq(str, (char *)differences(&base, &other), ""));
	add_run(&other, "6", "", "a", "cpu", ",\"cold\":false");
	cr_expect(eq(str, (char *)differences(&base, &other), "cache mode!: cold | cold, hot;"));
	gb_records_release(&base);
	gb_records_release(&other);
}
