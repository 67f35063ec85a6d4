/* test_progress.c -- the status line of a terminal, and the line of each measurement with -v. */
#include "cli/measure/progress.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/sweep.h"
#include "cli/records/key.h"
#include "common/text.h"
#include "common/timer.h"

static struct gb_result result;
static char *key;
static FILE *file;
static int terminal;

static void setup(void)
{
	static struct gb_sweep sweep;
	struct gb_error err = { 0 };
	void *params;

	result.benchmark = gb_benchmark_find("radix");
	params = calloc(1, result.benchmark->params_size);
	for (size_t i = 0; i < gb_variant_count && !result.variant; i++)
		if (gb_equal(gb_variants[i].benchmark, "radix"))
			result.variant = &gb_variants[i];
	cr_assert(zero(int, (int)gb_sweep_words(&sweep, result.benchmark, "--count=7", &err)));
	gb_sweep_point(&sweep, 0, params);
	result.params = params;
	key = gb_record_key(result.benchmark, result.variant, params, &err);
	cr_assert(key != NULL);
	file = tmpfile();
	terminal = dup(STDERR_FILENO);
	(void)dup2(fileno(file), STDERR_FILENO);
}

/* The text printed to standard error since the last call. */
static const char *said(void)
{
	static char text[1024];
	size_t length;

	(void)fflush(stderr);
	rewind(file);
	length = fread(text, 1, sizeof text - 1, file);
	text[length] = '\0';
	cr_assert(zero(int, ftruncate(fileno(file), 0)));
	(void)lseek(STDERR_FILENO, 0, SEEK_SET);
	return text;
}

static void teardown(void)
{
	(void)dup2(terminal, STDERR_FILENO);
}

TestSuite(progress, .init = setup, .fini = teardown);

/* The line has the time that is left from the third measurement on.  It fits in 80 columns. */
Test(progress, the_status_line)
{
	static const struct {
		size_t done;
		const char *said;
	} row[] = {
		{ 2, "\r\033[K3/10, " },
		{ 3, "\r\033[K4/10, 1.9 h left, " },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_progress p = { .shown = true,
					       .done = row[i].done,
					       .total = 10,
					       .started_ns = gb_now_ns() - 3000e9 };
		char wanted[1024];

		gb_progress_begin(&p, &result);
		(void)snprintf(wanted, sizeof wanted, "%s%s", row[i].said, key);
		wanted[4 + 79] = '\0';
		cr_expect(eq(str, (char *)said(), wanted));
	}
	gb_progress_hide(&(struct gb_progress){ .shown = true });
	cr_expect(eq(str, (char *)said(), "\r\033[K"));
	gb_progress_hide(&(struct gb_progress){ 0 });
	gb_progress_begin(&(struct gb_progress){ 0 }, &result);
	cr_expect(eq(str, (char *)said(), ""));
}
