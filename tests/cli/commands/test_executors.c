/* test_executors.c -- the source of a plug-in in executors that do as a table says: the programs
 * that are started, their arguments, and how much of their output is taken.
 *
 * The folder of this program, where executors are looked for, is FOLDER/a/b.  The executors, their
 * compiler and timeout(1) are one script, which logs its arguments.
 */
#include "cli/commands/executors.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/workloads/registry.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/file_of.h"

static char folder[] = "/tmp/gpubench-executors-XXXXXX";
static bool is_made;

ssize_t readlink(const char *path, char *to, size_t size)
{
	char self[64];

	if (!is_made || !gb_equal(path, "/proc/self/exe"))
		return readlinkat(AT_FDCWD, path, to, size);
	(void)snprintf(self, sizeof self, "%s/a/b/unit", folder);
	memcpy(to, self, strlen(self)); /* without a NUL */
	return (ssize_t)strlen(self);
}

/* Set text to the path of a file below the folder. */
static const char *path_of(const char *name)
{
	static char text[2][128];
	static int next;

	next = !next;
	(void)snprintf(text[next], sizeof text[next], "%s/%s", folder, name);
	return text[next];
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
	(void)chmod(path_of(name), 0700);
}

/* The log, in which the names of temporary folders end in XXXXXX. */
static const char *read_log(void)
{
	static char text[8192];
	FILE *file = fopen(path_of("log"), "r");

	text[0] = '\0';
	if (!file)
		return text;
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	(void)fclose(file);
	(void)unlink(path_of("log"));
	for (char *at = text;
	     (at = strstr(at, "/gpubench-")) && (at = strstr(at + 1, "/gpubench-"));)
		if (strstr(at, "/plugin.so") == at + 16)
			memcpy(at + 10, "XXXXXX", 6);
	return text;
}

static const char *const programs[] = { "a/b/gpubench-compile", "a/b/gpubench-simt",
					"a/b/gpubench-ptx", "timeout" };

static void setup(void)
{
	char script[512];

	cr_assert(mkdtemp(folder));
	(void)mkdir(path_of("a"), 0700);
	(void)mkdir(path_of("a/b"), 0700);
	(void)snprintf(script, sizeof script,
		       "#!/bin/sh\ncd %s\nn=${0##*/}\necho \"$n $GPUBENCH_SIMT_TIMEOUT $*\" >>log\n"
		       "if [ $n = timeout ]; then shift 2; exec \"$@\"; fi\n"
		       "[ ! -e $n.out ] || cat $n.out\n[ ! -e $n.err ] || cat $n.err >&2\n"
		       "[ ! -e $n.status ] || exit $(cat $n.status)\n",
		       folder);
	for (size_t i = 0; i < GB_COUNT(programs); i++)
		put(programs[i], script);
	(void)snprintf(script, sizeof script, "%s:%s", folder, getenv("PATH"));
	(void)setenv("PATH", script, 1);
	(void)setenv("TMPDIR", folder, 1);
	is_made = true;
}

static void teardown(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(executors, .init = setup, .fini = teardown);

static struct gb_variant one = { .workload = "radix", .name = "one", .backend = GB_CUDA },
			 two = { .workload = "radix", .name = "two", .backend = GB_CPU },
			 three = { .workload = "radix", .name = "three", .backend = GB_CUDA };
static struct gb_source source = { "s.cu", "digest" };

static void release(struct gb_judgement *judgement, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON_Delete(judgement[i].emulator);
		cJSON_Delete(judgement[i].counts);
		judgement[i].emulator = judgement[i].counts = NULL;
	}
}

/* Try the source; the judgements are those of the three variants. */
static enum gb_status try_three(struct gb_judgement three_of[3], struct gb_error *err)
{
	const bool first = three_of[0].wrong, all = three_of[1].wrong;
	const size_t files = open_files();
	glob_t left;

	release(three_of, 3);
	three_of[0] = (struct gb_judgement){ .variant = &one, .wrong = first };
	three_of[1] = (struct gb_judgement){ .variant = &two, .wrong = all };
	three_of[2] = (struct gb_judgement){ .variant = &three, .wrong = all };
	*err = (struct gb_error){ 0 };
	(void)gb_try_source(&source, -7, 2.5e9, three_of, 3, err);
	cr_expect_eq(open_files(), files);
	cr_expect_eq(glob(path_of("gpubench-??????"), 0, NULL, &left), GLOB_NOMATCH);
	cr_expect(!three_of[1].emulator && !three_of[1].counts, "not of a GPU");
	return err->code;
}

static void expect_json(const cJSON *object, const char *want, const char *what)
{
	char *text = object ? cJSON_PrintUnformatted(object) : NULL;

	cr_expect_str_eq(text ? text : "none", want, "%s: %s", what, text);
	free(text);
}

/* ---- arguments ---------------------------------------------------------------------------- */

/* The expected log. */
static const char *whole_log(const char *path, const char *seconds, const char *tool,
			     const char *place)
{
	static char text[4096];
	char libraries[256] = "";

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].peer && gb_variants[i].backend == GB_CUDA &&
		    gb_equal(gb_variants[i].workload, one.workload))
			gb_text_append(libraries, sizeof libraries, "cuda/%s ",
				       gb_variants[i].name);
	(void)snprintf(
		text, sizeof text,
		"timeout  --kill-after=1 %s %s%s%s %s -o %s/gpubench-XXXXXX/plugin.so\n"
		"%s  %s -o %s/gpubench-XXXXXX/plugin.so\n"
		"gpubench-simt 86400 judge %s cuda/one cuda/three "
		"--plugin=%s/gpubench-XXXXXX/plugin.so --seed=-7 --budget=%s\n"
		"timeout  --kill-after=1 %s %s%s%s %s -o %s/gpubench-XXXXXX/plugin.so --ptx\n"
		"%s  %s -o %s/gpubench-XXXXXX/plugin.so --ptx\n"
		"gpubench-ptx  %s cuda/one cuda/three %s%s "
		"--plugin=%s/gpubench-XXXXXX/plugin.so --timeout=%s --samples=1 --warmup=0 "
		"--quiet --output=-\n",
		seconds, folder, place, tool, path, folder, strrchr(tool, '/') + 1, path, folder,
		one.workload, folder, seconds, seconds, folder, place, tool, path, folder,
		strrchr(tool, '/') + 1, path, folder, one.workload, libraries,
		gb_workload_find(one.workload)->small, folder, seconds);
	return text;
}

Test(executors, arguments)
{
	struct gb_judgement three_of[3] = { 0 };
	struct gb_error err;

	cr_expect_eq(try_three(three_of, &err), GB_OK, "%s", err.message);
	cr_expect_str_eq(read_log(), whole_log("./s.cu", "2.500", "/gpubench-compile", "/a/b"));
	/* At least a second.  The small point has several words. */
	source.path = "/s.cu";
	one.workload = "cbt";
	release(three_of, 3);
	cr_expect_eq(gb_try_source(&source, -7, 0.9e9, three_of, 3, &err), GB_OK);
	cr_expect_str_eq(read_log(), whole_log("/s.cu", "1.000", "/gpubench-compile", "/a/b"));
	/* In the folder that it was built in. */
	(void)unlink(path_of("a/b/gpubench-compile"));
	(void)mkdir(path_of("scripts"), 0700);
	(void)rename(path_of("timeout"), path_of("scripts/simt-plugin.py"));
	(void)link(path_of("scripts/simt-plugin.py"), path_of("timeout"));
	(void)rename(path_of("a/b/gpubench-simt"), path_of("gpubench-simt"));
	(void)rename(path_of("a/b/gpubench-ptx"), path_of("gpubench-ptx"));
	release(three_of, 3);
	cr_expect_eq(gb_try_source(&source, -7, 1e9, three_of, 3, &err), GB_OK);
	cr_expect_str_eq(read_log(),
			 whole_log("/s.cu", "1.000", "/scripts/simt-plugin.py", "/a/b/../.."));
	/* Nothing to try. */
	source.path = NULL;
	cr_expect_eq(try_three(three_of, &err), GB_OK);
	source.path = "s.cu";
	cr_expect_eq(gb_try_source(&source, -7, 1e9, three_of + 1, 1, &err), GB_OK);
	cr_expect_str_eq(read_log(), "");
	expect_json(three_of[0].emulator, "none", "no source");
	release(three_of, 3);
}

/* ---- results ------------------------------------------------------------------------------ */

#define EMULATED(result, reason, numbers)                                                         \
	"{\"source\":\"s.cu\",\"sha256\":\"digest\",\"result\":\"" result "\",\"reason\":" reason \
	"," numbers "}"
#define PASSED  "\"passed\":4,\"failed\":0,\"skipped\":2,\"not_done\":1"
#define FAILED  "\"passed\":1,\"failed\":3,\"skipped\":0,\"not_done\":5"
#define NOTHING "\"passed\":0,\"failed\":0,\"skipped\":0,\"not_done\":0"
#define VERDICT(name, correct, numbers, reasons)                                   \
	"{\"type\":\"verdict\",\"variant\":\"cuda/" name "\",\"correct\":" correct \
	",\"check\":{" numbers "},\"reasons\":[" reasons "]}\n"
#define NO_COUNTS(reason) "{\"variants\":[],\"reason\":\"" reason "\"}"

/* The output of both executors: each variant takes its own line. */
Test(executors, results)
{
	struct gb_judgement three_of[3] = { 0 };
	struct gb_error err;

	put("gpubench-simt.out",
	    "text\n{\"type\":\"record\",\"variant\":\"cuda/one\"}\n{ no JSON\n" VERDICT(
		    "three", "false", FAILED, "\"skipped: c\",\"a race\",\"b\"")
		    VERDICT("one", "true", PASSED, "\"skipped: c\""));
	put("gpubench-ptx.out",
	    "{\"type\":\"run\",\"variant\":\"one\"}\n"
	    "{\"type\":\"record\",\"variant\":\"three\",\"key\":\"k3\"}\n"
	    "{\"type\":\"record\",\"variant\":\"cub\",\"key\":\"kc\",\"counts\":{\"x\":2}}\n"
	    "{\"type\":\"record\",\"variant\":\"one\",\"key\":\"k1\",\"counts\":{\"x\":1,"
	    "\"kernels\":[5]}}\n");
	cr_expect_eq(try_three(three_of, &err), GB_OK, "%s", err.message);
	expect_json(three_of[0].emulator, EMULATED("passed", "null", PASSED), "passed");
	expect_json(three_of[2].emulator, EMULATED("failed", "\"a race\"", FAILED), "failed");
	cr_expect(!three_of[0].wrong && three_of[2].wrong);
	expect_json(three_of[0].counts,
		    "{\"variants\":[{\"counts\":{\"x\":1},\"key\":\"k1\"},"
		    "{\"counts\":{\"x\":2},\"key\":\"kc\"}],\"reason\":null}",
		    "counted");
	expect_json(three_of[2].counts, NO_COUNTS("the variant was not counted"), "no counts");
	release(three_of, 3);
}

/* Why there is no result: files of the programs, and the reasons of both executors. */
Test(executors, reasons)
{
	static const struct {
		const char *file, *text;
		bool wrong[2]; /* the first variant, all others */
		const char *emulated, *counted;
	} row[] = {
		{ "gpubench-compile.status",
		  "124",
		  { false, true },
		  "the source does not compile within 2.5 s",
		  "the source does not compile within 2.5 s" },
		{ "gpubench-compile.status",
		  "137",
		  { true, false },
		  "the source does not compile within 2.5 s",
		  "the source does not compile within 2.5 s" },
		{ "gpubench-compile.status",
		  "1",
		  { true, true },
		  "the source does not compile: ?",
		  "the result is wrong" },
		{ "gpubench-compile.err",
		  "{ error\n\nnote\nan error: a\nError: b\nend\n",
		  { false, false },
		  "the source does not compile: an error: a",
		  "the source does not compile: an error: a" },
		{ "gpubench-compile.err",
		  "one\ntwo\n\n",
		  { false, false },
		  "the source does not compile: two",
		  "the source does not compile: two" },
		{ "gpubench-compile.status",
		  "0",
		  { false, false },
		  "gpubench-simt: ?",
		  "gpubench-ptx: ?" },
		{ "gpubench-simt.err",
		  "x\ngpubench: late\ny\n",
		  { false, false },
		  "gpubench-simt: gpubench: late",
		  "gpubench-ptx: ?" },
		{ "gpubench-ptx.err",
		  "gpubench: lost\ny\n",
		  { false, false },
		  "gpubench-simt: gpubench: late",
		  "gpubench-ptx: gpubench: lost" },
		{ "gpubench-ptx.out",
		  "{}",
		  { false, false },
		  "gpubench-simt: gpubench: late",
		  "the variant was not counted" },
		{ "gpubench-simt.out",
		  "{}",
		  { false, false },
		  "the budget ended",
		  "the variant was not counted" },
		{ "gpubench-simt.out",
		  VERDICT("one", "null", NOTHING, ""),
		  { false, false },
		  "the budget ended",
		  "the variant was not counted" },
		{ "gpubench-simt.out",
		  VERDICT("one", "null", NOTHING, "\"skipped: b\",\"a\""),
		  { false, false },
		  "skipped: b",
		  "the variant was not counted" },
		{ "gpubench-simt.out",
		  VERDICT("one", "false", NOTHING, "\"skipped: b\",\"a\""),
		  { false, false },
		  "a",
		  "the variant was not counted" },
	};
	struct gb_error err;
	char want[512];

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_judgement three_of[3] = { { .wrong = row[i].wrong[0] },
						    { .wrong = row[i].wrong[1] } };

		put(row[i].file, row[i].text);
		cr_expect_eq(try_three(three_of, &err), GB_OK, "%s", err.message);
		(void)snprintf(want, sizeof want, EMULATED("not checked", "\"%s\"", NOTHING),
			       row[i].emulated);
		expect_json(three_of[0].emulator, want, row[i].text);
		(void)snprintf(want, sizeof want, NO_COUNTS("%s"), row[i].counted);
		expect_json(three_of[0].counts, want, row[i].text);
		release(three_of, 3);
	}
}

Test(executors, failures)
{
	static struct gb_judgement many[88];
	struct gb_judgement three_of[3] = { 0 };
	struct gb_error err = { 0 };

	/* The emulator has 8 other words, of at most 95. */
	for (size_t i = 0; i < GB_COUNT(many); i++)
		many[i].variant = &one;
	cr_expect_eq(gb_try_source(&source, 1, 1e9, many, 87, &err), GB_EUSAGE);
	cr_expect(strstr(read_log(), "--budget=1.000"));
	cr_expect_str_eq(err.message, "too many variants");
	err = (struct gb_error){ 0 };
	release(many, GB_COUNT(many));
	cr_expect_eq(gb_try_source(&source, 1, 1e9, many, 88, &err), GB_EUSAGE);
	release(many, GB_COUNT(many));
	cr_expect_null(strstr(read_log(), "--budget"));

	put("gpubench-simt.status", "130");
	cr_expect_eq(try_three(three_of, &err), GB_EINTERRUPTED);
	cr_expect(!strstr(read_log(), "--ptx"));
	(void)unlink(path_of("a/b/gpubench-simt"));
	put("gpubench-ptx.status", "130");
	cr_expect_eq(try_three(three_of, &err), GB_EINTERRUPTED);
	expect_json(three_of[0].emulator,
		    EMULATED("not checked",
			     "\"gpubench-simt is not beside this program (make "
			     "install-executors)\"",
			     NOTHING),
		    "no emulator");
	release(three_of, 3);
	(void)setenv("TMPDIR", "/no/such", 1);
	err = (struct gb_error){ 0 };
	cr_expect_eq(gb_try_source(&source, 1, 1e9, three_of, 3, &err), GB_EIO);
	cr_expect(gb_equal(strchr(err.message, ':') + 1, " No such file or directory") &&
			  strncmp(err.message, "/no/such/gpubench-", 18) == 0,
		  "%s", err.message);
	release(three_of, 3);
}
