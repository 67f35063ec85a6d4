/* test_worker.c -- the process of a plug-in: its answer to each request, the tables that are
 * refused, and lists of files.  The plug-in is tests/plugins/steps.c.
 */
#include "cli/plugins/worker.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/plugins/load.h"
#include "cli/plugins/process.h"
#include "common/plugin.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/sanitized.h"

/* The judged process is this program, too. */
__attribute__((constructor)) static void be_judged(int argc, char **argv)
{
	if (argc == 2 && gb_equal(argv[1], GB_WORKER_WORD) && !getenv("REMOTE_SCRIPT"))
		_exit(gb_worker());
}

static char path[400];

/* steps.so is beside this program. */
static void setup(void)
{
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
	char *name;

	cr_assert_gt(length, 0);
	path[length] = '\0';
	name = strrchr(path, '/') + 1;
	(void)snprintf(name, 16, "steps.so");
}

TestSuite(worker, .init = setup);

/* ---- requests ----------------------------------------------------------------------------- */

enum { WORDS = 5, BYTES = 8 * WORDS };

static struct gb_process process;
static struct gb_message message;
static unsigned char *shown, *output;

static enum gb_status ask(enum gb_request_word word, int64_t number, struct gb_error *err)
{
	message = (struct gb_message){ .word = (int32_t)word, .number = { number } };
	*err = (struct gb_error){ 0 };
	return gb_process_ask(&process, &message, err);
}

/* Start a process that has loaded the file. */
static void begin(void)
{
	const int from = gb_memory_file(4096), to = gb_memory_file(4096);
	struct gb_error err = { 0 };

	process = (struct gb_process){ .timeout_s = 60 };
	shown = gb_link_map(from, 4096, true);
	output = gb_link_map(to, 4096, true);
	cr_assert(shown && output);
	cr_assert_eq(gb_process_start(&process, from, to, &err), GB_OK, "%s", err.message);
	message = (struct gb_message){ .word = GB_ASK_TABLE };
	(void)snprintf(message.text, sizeof message.text, "%s", path);
	cr_assert_eq(gb_process_ask(&process, &message, &err), GB_OK, "%s", err.message);
}

/* The limit of memory is in bytes; 0: none. */
static enum gb_status create(int64_t index, int64_t limit, struct gb_error *err)
{
	const size_t bytes = index ? 4096 : sizeof(struct stream_input) + BYTES;

	message = (struct gb_message){ .word = GB_ASK_CREATE,
				       .number = { index, 0, (int64_t)bytes, BYTES, limit } };
	*err = (struct gb_error){ 0 };
	return gb_process_ask(&process, &message, err);
}

/* Create stream/cpu/steps for an input of these bytes. */
static enum gb_status create_steps(unsigned char byte, struct stream_params params, int64_t limit,
				   struct gb_error *err)
{
	const struct stream_input in = { .count = BYTES };

	memcpy(shown, &in, sizeof in);
	memset(shown + sizeof in, byte, BYTES);
	memcpy(process.board->params, &params, sizeof params);
	return create(0, limit, err);
}

static double metric(const char *name)
{
	const struct gb_board *b = process.board;
	struct gb_error err;

	cr_expect_eq(ask(GB_ASK_METRICS, 0, &err), GB_OK);
	cr_assert_eq(b->metrics, 5);
	for (size_t i = 0; i < b->metrics; i++)
		if (gb_equal(b->metric[i].name, name))
			return b->metric[i].value;
	return -1;
}

static bool output_is(unsigned char byte)
{
	for (size_t i = 0; i < BYTES; i++)
		if (output[i] != byte)
			return false;
	return output[BYTES] == 0;
}

/* The file behind a descriptor of a process. */
static const char *file_behind(int pid, int number)
{
	static char text[3][64];
	char link[64];
	ssize_t length;

	(void)snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, number);
	length = readlink(link, text[number], sizeof text[number] - 1);
	text[number][length < 0 ? 0 : length] = '\0';
	return text[number];
}

/* The rest of the line of a file of the process that begins so. */
static const char *line_of(const char *file, const char *start)
{
	static char path_of_file[64], line[256];
	FILE *stream;

	(void)snprintf(path_of_file, sizeof path_of_file, "/proc/%d/%s", process.pid, file);
	stream = fopen(path_of_file, "r");
	cr_assert(stream, "%s", path_of_file);
	do
		cr_assert(fgets(line, sizeof line, stream), "%s: no %s", path_of_file, start);
	while (strncmp(line, start, strlen(start)));
	(void)fclose(stream);
	line[strcspn(line, "\n")] = '\0';
	return line + strlen(start);
}

/* Root may still read its files; the judge is not ended for the memory of a plug-in. */
Test(worker, confinement)
{
	static const char *const sets[] = { "CapPrm:\t", "CapEff:\t", "CapInh:\t" };

	if (UNLESS_SANITIZED(false, true))
		cr_skip_test("sanitizers need more than is left");
	begin();
	cr_expect_str_eq(line_of("status", "NoNewPrivs:\t"), "1");
	cr_expect_str_eq(line_of("status", "Seccomp:\t"), "2");
	for (size_t i = 0; i < GB_COUNT(sets); i++)
		cr_expect_str_eq(line_of("status", sets[i]),
				 geteuid() || i == 2 ? "0000000000000000" : "0000000000000004");
	cr_expect_str_eq(line_of("oom_score_adj", ""), "1000");
	cr_expect(strstr(line_of("limits", "Max core file size"), " 0                    0  "));
	gb_process_stop(&process);
}

/* It reads nothing, and its output is no table. */
Test(worker, standard_files)
{
	begin();
	cr_expect_str_eq(file_behind(process.pid, 0), "/dev/null");
	cr_expect_str_eq(file_behind(process.pid, 1), file_behind((int)getpid(), 2));
	gb_process_stop(&process);
}

Test(worker, table)
{
	const struct gb_board *b;
	struct gb_error err = { 0 };

	begin();
	b = process.board;
	cr_expect_str_eq(b->name, "steps");
	cr_expect_str_eq(b->version, "2.1");
	cr_assert_eq(b->variants, 10);
	cr_expect_str_eq(b->variant[0].workload, "stream");
	cr_expect_str_eq(b->variant[0].name, "steps");
	cr_expect_str_eq(b->variant[0].summary, "states its steps");
	cr_expect_eq(b->variant[0].backend, GB_CPU);
	cr_expect_eq(b->variant[0].flags, GB_SERIAL);
	cr_expect_str_eq(b->variant[1].workload, "lbvh");
	cr_expect_eq(b->variant[1].flags, 0);
	message = (struct gb_message){ .word = GB_ASK_TABLE, .text = "no/such/file" };
	cr_expect_eq(gb_process_ask(&process, &message, &err), GB_ERUNTIME);
	gb_process_stop(&process);
}

Test(worker, steps)
{
	struct gb_error err;

	begin();
	cr_assert_eq(create_steps(1, (struct stream_params){ .threads = 1000 }, 0, &err), GB_OK,
		     "%s", err.message);
	/* Only memory of the variant counts, and only its peak. */
	cr_expect_eq(process.peak[GB_HOST_MEMORY], BYTES + 1000);
	cr_expect_eq(process.peak[GB_DEVICE_MEMORY], 0);
	cr_expect_str_eq(process.board->excluded, "");
	cr_expect_eq(metric("uploads"), 0);
	cr_expect_eq(metric("hash"), 0);
	cr_expect_str_eq(process.board->metric[4].text, "0x000000000000001f");

	cr_expect_eq(ask(GB_ASK_POISON, 200, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_DOWNLOAD, 0, &err), GB_OK);
	cr_expect(output_is(200));
	cr_expect_eq(ask(GB_ASK_UPLOAD, 0, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_RESET, 9, &err), GB_OK);
	cr_expect_eq(metric("uploads"), 1);
	cr_expect_eq(metric("resets"), 9);
	cr_expect_eq(metric("seen"), 200);

	cr_expect_eq(ask(GB_ASK_RUNS, 3, &err), GB_OK, "%s", err.message);
	cr_expect_eq(metric("runs"), 3);
	cr_expect_eq(ask(GB_ASK_DOWNLOAD, 0, &err), GB_OK);
	cr_expect(output_is(1));

	/* The input changes in place, and only when it is shown. */
	memset(shown + sizeof(struct stream_input), 2, BYTES);
	cr_expect_eq(ask(GB_ASK_RUNS, 1, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_DOWNLOAD, 0, &err), GB_OK);
	cr_expect(output_is(1));
	cr_expect_eq(ask(GB_ASK_INPUT, 0, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_RUNS, 1, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_DOWNLOAD, 0, &err), GB_OK);
	cr_expect(output_is(2));

	cr_expect_eq(ask(GB_ASK_COUNTS, 0, &err), GB_OK);
	cr_expect_eq(message.number[0], 0);
	cr_expect_eq(ask(GB_ASK_CHILDREN, 0, &err), GB_OK);
	cr_expect_eq(message.number[0], 0);
	cr_expect_eq(ask(GB_ASK_FLUSH, 0, &err), GB_OK);
	cr_expect_eq(process.peak[GB_HOST_MEMORY], BYTES + 1000);
	cr_expect_eq(ask(GB_ASK_END, 0, &err), GB_OK);
	cr_expect_eq(output[0], 'e', "destroy() was not called");
	cr_expect_eq(gb_process_ask(&process, &(struct gb_message){ .word = GB_ASK_TABLE }, &err),
		     GB_ERUNTIME);
	gb_process_stop(&process);
}

/* Runs with and without phases; neither the CPU holds nor counts. */
Test(worker, phases)
{
	struct gb_error err = { 0 };

	begin();
	cr_assert_eq(create_steps(1, (struct stream_params){ 0 }, 0, &err), GB_OK);
	for (int64_t marked = 0; marked < 2; marked++) {
		const struct gb_link_phase *phase = process.board->phase;
		const double start_ns = gb_now_ns();

		message = (struct gb_message){ .word = GB_ASK_RUNS, .number = { 4, 1, marked, 1 } };
		cr_assert_eq(gb_process_ask(&process, &message, &err), GB_OK);
		cr_expect_eq(message.number[0], 0, "held");
		cr_expect_eq(message.number[1], 1, "there are phases, marked or not");
		cr_expect_eq(message.number[2], 2 * marked);
		cr_expect(message.ns[0] > 0 && message.ns[0] < gb_now_ns() - start_ns);
		cr_expect(message.ns[1] > 0 && message.ns[1] < 60e9);
		if (!marked)
			continue;
		cr_expect_str_eq(phase[0].name, "copy");
		cr_expect_str_eq(phase[1].name, "rest");
		cr_expect(phase[0].ns > 0 && phase[1].ns >= 0);
		cr_expect_leq(phase[0].ns + phase[1].ns, message.ns[0]);
	}
	gb_process_stop(&process);
}

Test(worker, failures)
{
	static const struct {
		int64_t seed, threads, limit;
		enum gb_status code;
		const char *message;
	} row[] = {
		{ 12, 0, 0, GB_EUNAVAILABLE, "not 12" },
		{ 1, UNLESS_SANITIZED(64 << 20, 0), UNLESS_SANITIZED(32 << 20, 0),
		  UNLESS_SANITIZED(GB_EMEMORY, GB_OK), "" },
		{ 1, UNLESS_SANITIZED(64 << 20, 0), UNLESS_SANITIZED(96 << 20, 0), GB_OK, "" },
		{ 14, 0, UNLESS_SANITIZED(32 << 20, 0), UNLESS_SANITIZED(GB_EMEMORY, GB_OK), "" },
	};
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct stream_params params = { .seed = row[i].seed,
						      .threads = row[i].threads };

		begin();
		cr_expect_eq(create_steps(1, params, row[i].limit, &err), row[i].code,
			     "row %zu: %s", i, err.message);
		cr_expect(strstr(err.message, row[i].message), "row %zu: %s", i, err.message);
		gb_process_stop(&process);
	}
	begin();
	cr_assert_eq(create_steps(1, (struct stream_params){ .seed = 13 }, 0, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_RUNS, 3, &err), GB_ERUNTIME);
	cr_expect_str_eq(err.message, "run 1 fails");
	cr_expect_eq(ask(GB_ASK_DOWNLOAD, 0, &err), GB_ERUNTIME);
	cr_expect_str_eq(err.message, "no result");
	cr_expect_eq(metric("runs"), 1);
	gb_process_stop(&process);
}

/* Each array of the input comes to its own member. */
Test(worker, arrays)
{
	const struct lbvh_input in = { .count = 1, .vertex_count = 1 };
	const uint32_t corner = 'T';
	struct gb_error err;

	begin();
	memcpy(shown, &in, sizeof in);
	memcpy(shown + sizeof in + 4 * sizeof(float) + 2 * sizeof corner, &corner, sizeof corner);
	cr_assert_eq(create(1, 0, &err), GB_OK, "%s", err.message);
	cr_expect_str_eq(process.board->excluded, "T");
	/* It has neither upload() nor reset() nor metrics(). */
	cr_expect_eq(ask(GB_ASK_UPLOAD, 0, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_RESET, 0, &err), GB_OK);
	cr_expect_eq(ask(GB_ASK_METRICS, 0, &err), GB_OK);
	cr_expect_eq(process.board->metrics, 0);
	gb_process_stop(&process);
}

/* ---- tables ------------------------------------------------------------------------------- */

static struct gb_plugin *table;
static struct gb_plugin_variant *variant;
static struct gb_variant_ops changed;

static enum gb_status open_table(struct gb_error *err)
{
	*err = (struct gb_error){ 0 };
	cr_expect_eq(gb_plugin_open(path, err) != NULL, err->code == GB_OK);
	return err->code;
}

/* Change one thing of the table. */
static void spoil(size_t row, int by)
{
	static struct gb_plugin_variant many[GB_LINK_VARIANTS + 1];

	changed = *variant->ops;
	if (row == 0)
		table->abi += by;
	if (row == 1)
		table->ops_size += (size_t)by;
	if (row == 2)
		table->name = by ? "A" : "a";
	if (row == 3 && by)
		table->version = NULL;
	if (row == 4 && by)
		table->variant = NULL;
	if (row == 5)
		table->count = by ? 0 : 1;
	if (row == 6) {
		for (size_t i = 0; i < GB_COUNT(many); i++)
			many[i] = *variant;
		table->variant = many;
		table->count = GB_LINK_VARIANTS + (size_t)by;
	}
	if (row == 7)
		variant->name = by ? "a_b" : "a-b";
	if (row == 8)
		variant->workload = by ? NULL : "radix";
	if (row == 9 && by)
		variant->summary = NULL;
	if (row == 10 && by)
		variant->ops = NULL;
	if (row == 11)
		variant->workload = by ? "sort" : "radix";
	if (row == 12)
		variant->backend = by ? GB_VULKAN : GB_CUDA;
	if (row == 13)
		variant->backend = by ? GB_BACKENDS : GB_CPU;
	if (row == 14)
		changed.state_size = (size_t)!by;
	if (row == 15 && by)
		changed.create = NULL;
	if (row == 16 && by)
		changed.run = NULL;
	if (row == 17 && by)
		changed.download = NULL;
	if (row >= 14)
		variant->ops = &changed;
}

/* Each fault of a table is refused, and the same member at its limit is not. */
Test(worker, tables)
{
	static const char *const why[] = {
		": has ABI 2, this program 1",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a plug-in needs a name, a version and 1 to 128 variants",
		"a variant needs a workload, a name of letters a-z",
		"a variant needs a workload, a name of letters a-z",
		"a variant needs a workload, a name of letters a-z",
		"a variant needs a workload, a name of letters a-z",
		": 'sort' is not a benchmark",
		"steps: the back end must be GB_CPU or GB_CUDA",
		"steps: the back end must be GB_CPU or GB_CUDA",
		"steps: state_size, create, run and download are required",
		"steps: state_size, create, run and download are required",
		"steps: state_size, create, run and download are required",
		"steps: state_size, create, run and download are required",
	};
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct gb_plugin_variant as_was;
	struct gb_plugin before;
	struct gb_error err;

	cr_assert(handle != NULL, "%s", dlerror());
	table = dlsym(handle, "gpubench_plugin");
	before = *table;
	variant = (struct gb_plugin_variant *)table->variant;
	as_was = *variant;
	for (size_t i = 0; i < GB_COUNT(why); i++)
		for (int by = 0; by < 2; by++) {
			spoil(i, by);
			cr_expect_eq(open_table(&err), by ? GB_EUSAGE : GB_OK, "row %zu %d: %s", i,
				     by, err.message);
			cr_expect(strstr(err.message, by ? why[i] : ""), "row %zu: %s", i,
				  err.message);
			*table = before;
			*variant = as_was;
		}
	/* The second variant is looked at, too. */
	variant[1].name = "B";
	cr_expect_eq(open_table(&err), GB_EUSAGE);
}

/* ---- lists of files ----------------------------------------------------------------------- */

Test(worker, lists)
{
	static const struct {
		const char *list, *message;
		bool isolated;
	} row[] = {
		{ "", "--plugin: expects files, separated by commas", false },
		{ "no/such.so", "no/such.so: No such file or directory", true },
		{ "such.so", "./such.so: No such file or directory", false },
		{ "tests", "./tests: not a regular file", true },
		{ "README.md", "./README.md: invalid ELF header", false },
		{ "CHANGELOG.md", "./CHANGELOG.md: invalid ELF header", true },
	};
	struct gb_error err;
	char list[3 * sizeof path];
	const size_t first = gb_variant_count;

	(void)unsetenv("GPUBENCH_PLUGINS");
	cr_expect_eq(gb_plugins_load(NULL, false, &err), GB_OK);
	(void)setenv("GPUBENCH_PLUGINS", "", 1);
	cr_expect_eq(gb_plugins_load(NULL, false, &err), GB_OK);
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		err = (struct gb_error){ 0 };
		cr_expect_eq(gb_plugins_load(row[i].list, row[i].isolated, &err), GB_EUSAGE,
			     "row %zu", i);
		cr_expect(strstr(err.message, row[i].message), "row %zu: %s", i, err.message);
	}
	err = (struct gb_error){ 0 };
	memset(list, 'a', sizeof list);
	list[401] = '\0';
	cr_expect_eq(gb_plugins_load(list, false, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, "expects files"), "%s", err.message);
	err = (struct gb_error){ 0 };
	list[400] = '\0';
	cr_expect_eq(gb_plugins_load(list, false, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, "File name too long"), "%s", err.message);
	cr_expect_eq(gb_variant_count, first);
	/* A file is loaded once, though the list and the environment name it. */
	err = (struct gb_error){ 0 };
	(void)snprintf(list, sizeof list, "%s,%s", path, path);
	(void)setenv("GPUBENCH_PLUGINS", path, 1);
	cr_expect_eq(gb_plugins_load(list, false, &err), GB_OK, "%s", err.message);
	cr_expect_eq(gb_variant_count, first + 10);
	cr_expect_str_eq(gb_variants[first].name, "steps");
	cr_expect_str_eq(gb_variants[first].summary, "states its steps");
	cr_expect_eq(gb_variants[first].ops->flags, GB_SERIAL);
	cr_expect_str_eq(gb_variants[first].plugin->version, "2.1");
	cr_expect_str_eq(gb_variants[first + 1].plugin->name, "steps");
	cr_expect_not(gb_variants[first].plugin->isolated);
	cr_expect_eq(strlen(gb_variants[first].plugin->sha256), 64);
	/* The same file by another name has variants that exist. */
	(void)snprintf(list, sizeof list, "%.*s/./steps.so", (int)(strrchr(path, '/') - path),
		       path);
	cr_expect_eq(gb_plugins_load(list, false, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, ": stream already has a variant cpu/steps"), "%s",
		  err.message);
	err = (struct gb_error){ 0 };
	gb_interrupted = 1;
	cr_expect_eq(gb_plugins_load("/proc/self/exe", false, &err), GB_EINTERRUPTED);
	cr_expect_str_eq(err.message, "interrupted");
}

/* Files of the environment are separated by colons, and more than 64 are refused. */
Test(worker, many_files)
{
	enum { MOST = 64 };
	char list[(MOST + 1) * 64], *to = list, name[64];
	struct gb_error err = { 0 };

	for (int i = 0; i <= MOST; i++) {
		(void)snprintf(name, sizeof name, "/tmp/gpubench-%d-%d.so", (int)getpid(), i);
		(void)unlink(name);
		cr_assert_eq(symlink(path, name), 0);
		to += snprintf(to, 64, "%s%s", i ? ":" : "", name);
	}
	(void)setenv("GPUBENCH_PLUGINS", list, 1);
	cr_expect_eq(gb_plugins_load(NULL, false, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, "already has a variant"), "%s", err.message);
	for (int i = 0; i <= MOST; i++) {
		err = (struct gb_error){ 0 };
		(void)snprintf(name, sizeof name, "/tmp/gpubench-%d-%d.so", (int)getpid(), i);
		(void)unsetenv("GPUBENCH_PLUGINS");
		(void)gb_plugins_load(name, false, &err);
		(void)unlink(name);
	}
	cr_expect_str_eq(err.message, "more than 64 plug-ins");
}
