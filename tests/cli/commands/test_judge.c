/* test_judge.c -- `gpubench judge`: verdicts on the variants of tests/plugins/steps.c, the programs
 * that it launches, and how it takes their records and statuses.
 *
 * This program also plays the launches: with JUDGE_LOG set, it appends its arguments to that file
 * and ends with the status in JUDGE_STATUS_K, where K is the number of its line.  A launch that
 * measures writes the records in JUDGE_RECORDS_K to the judge's descriptor before that.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/records/json.h"
#include "common/devices.h"
#include "common/text.h"
#include "common/timer.h"
#include "tests/sanitized.h"

/* ---- a launch ----------------------------------------------------------------------------- */

/* Copy the text of a descriptor that was opened for reading and writing. */
static void read_text(int file, char *text, size_t size)
{
	const ssize_t length = pread(file, text, size - 1, 0);

	text[length < 0 ? 0 : length] = '\0';
}

/* The variable NAME_K, or "". */
static const char *numbered(const char *name, int k)
{
	char variable[32];

	(void)snprintf(variable, sizeof variable, "%s_%d", name, k);
	return getenv(variable) ? getenv(variable) : "";
}

__attribute__((constructor)) static void be_launched(int argc, char **argv)
{
	const char *path = getenv("JUDGE_LOG"), *role = getenv("GPUBENCH_LAUNCH"), *records;
	char text[8192] = "";
	int log, line = 0, output = -1, status;

	if (!path || argc < 2 || !gb_equal(argv[1], "judge"))
		return;
	log = open(path, O_RDWR | O_APPEND);
	read_text(log, text, sizeof text);
	for (const char *c = text; *c; c++)
		line += *c == '\n';
	for (int i = 2; i < argc; i++)
		(void)dprintf(log, "%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
	records = numbered("JUDGE_RECORDS", line);
	if (role && sscanf(role, "%*d:%*d:%*d:%d:", &output) == 1)
		(void)!write(output, records, strlen(records));
	status = atoi(numbered("JUDGE_STATUS", line));
	if (status < 0)
		(void)raise(-status);
	_exit(status);
}

/* ---- the judge ---------------------------------------------------------------------------- */

static char plugin[400], log_path[] = "/tmp/gpubench-judge-XXXXXX";

/* steps.so is beside this program. */
static void setup(void)
{
	const ssize_t length = readlink("/proc/self/exe", plugin, sizeof plugin - 16);

	cr_assert_gt(length, 0);
	plugin[length] = '\0';
	(void)snprintf(strrchr(plugin, '/') + 1, 16, "steps.so");
	(void)close(mkstemp(log_path));
	(void)setenv("JUDGE_LOG", log_path, 1);
}

static void teardown(void)
{
	(void)unlink(log_path);
}

TestSuite(judging, .init = setup, .fini = teardown);

/* The last judge: its exit status, its message, the lines that it printed and launched. */
static int status;
static char message[400], printed[16384], launched[8192];

/* Run `judge` with the words, which are separated by blanks, in a process of its own. */
static void judge(const char *format, ...)
{
	const int out = memfd_create("out", MFD_CLOEXEC), said = memfd_create("said", MFD_CLOEXEC);
	char text[2000], *argv[32] = { "judge" }, *rest = text, *word;
	int argc = 1, code = 0, log;
	va_list values;
	pid_t child;

	va_start(values, format);
	(void)vsnprintf(text, sizeof text, format, values);
	va_end(values);
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	(void)truncate(log_path, 0);
	child = fork();
	if (child == 0) {
		struct gb_error err = { 0 };

		(void)dup2(out, STDOUT_FILENO);
		(void)dup2(said, STDERR_FILENO);
		status = (int)gb_cmd_judge(argc, argv, &err);
		(void)fprintf(stderr, "%s", err.message);
		(void)fflush(NULL);
		_exit(status);
	}
	(void)waitpid(child, &code, 0);
	status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
	read_text(out, printed, sizeof printed);
	read_text(said, message, sizeof message);
	log = open(log_path, O_RDONLY);
	read_text(log, launched, sizeof launched);
	(void)close(log);
	(void)close(out);
	(void)close(said);
}

/* ---- records ------------------------------------------------------------------------------ */

#define PLUGIN                                                                       \
	",\"plugin\":{\"name\":\"steps\",\"version\":\"2.1\",\"path\":\"steps.so\"," \
	"\"sha256\":\"0\"}"
#define PEER     ",\"peer\":true"
#define DOUBTFUL ",\"status\":\"doubtful\""

struct time {
	const char *variant;
	int count, ns;
	const char *more;
};

/* Let launch k write these records. */
static void let_write(int k, const struct time *time, size_t count)
{
	char text[8192], name[32];

	(void)snprintf(
		text, sizeof text,
		"{\"type\":\"run\",\"schema\":2,\"run_id\":\"%d\",\"host\":{\"cpu\":\"Z80\"}}\n",
		k);
	for (size_t i = 0; i < count; i++)
		gb_text_append(text, sizeof text,
			       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"%d\",\"bench\":"
			       "\"stream\",\"backend\":\"cpu\",\"variant\":\"%s\",\"key\":"
			       "\"stream/cpu/%s count=%d\",\"params\":{\"count\":%d},\"time\":{"
			       "\"clock\":\"host\",\"median\":%d,\"samples\":[%d]},\"verify\":{"
			       "\"result\":\"pass\"}%s%s}\n",
			       k, time[i].variant, time[i].variant, time[i].count, time[i].count,
			       time[i].ns, time[i].ns,
			       strstr(time[i].more, "status") ? "" : ",\"status\":\"ok\"",
			       time[i].more);
	(void)snprintf(name, sizeof name, "JUDGE_RECORDS_%d", k);
	(void)setenv(name, text, 1);
}

static void let_end(int k, int code)
{
	char name[32], text[16];

	(void)snprintf(name, sizeof name, "JUDGE_STATUS_%d", k);
	(void)snprintf(text, sizeof text, "%d", code);
	(void)setenv(name, text, 1);
}

/* ---- what is printed ---------------------------------------------------------------------- */

/* Line i of a text, without its end; "" if there is none. */
static const char *line_at(const char *text, size_t i)
{
	static char line[4096];

	while (*text && i > 0)
		i -= *text++ == '\n';
	(void)snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
	return line;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Members of line i: "path=value path=value". */
static void expect_line(size_t i, const char *wanted)
{
	cJSON *line = cJSON_Parse(line_at(printed, i));
	char text[2000], *rest = text, *word;

	(void)snprintf(text, sizeof text, "%s", wanted);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');
		char *found;

		*value++ = '\0';
		found = cJSON_PrintUnformatted(gb_json_at(line, word));
		cr_expect_str_eq(found ? found : "none", value, "line %zu: %s is %s", i, word,
				 found);
		cJSON_free(found);
	}
	cJSON_Delete(line);
}

static void expect_reason(size_t i, size_t k, const char *wanted)
{
	cJSON *line = cJSON_Parse(line_at(printed, i));
	const cJSON *reason = cJSON_GetArrayItem(gb_json_at(line, "reasons"), (int)k);

	cr_expect_str_eq(cJSON_IsString(reason) ? reason->valuestring : "none", wanted);
	cJSON_Delete(line);
}

static double now_ns;

/* Launch i got these seconds per measurement and globs, and until this share of BUDGET_NS. */
enum { BUDGET_S = 86400 };

static void expect_launch(size_t i, const char *seconds, double share, const char *globs)
{
	const char *line = line_at(launched, i), *own = strstr(line, "--measure=");
	char text[200];
	double until_ns = 0;
	int end = 0;

	cr_assert(own && sscanf(own, "--measure=%*[0-9.],%lf%n", &until_ns, &end) == 1, "%s", line);
	(void)snprintf(text, sizeof text, "--measure=%s,", seconds);
	cr_expect_eq(strncmp(own, text, strlen(text)), 0, "launch %zu: %s", i, own);
	cr_expect_float_eq((until_ns - now_ns) / (BUDGET_S * 1e9), share, 0.02);
	cr_expect_str_eq(own + end, globs, "launch %zu: %s", i, own);
}

/* ---- verdicts ----------------------------------------------------------------------------- */

#define CHECK(passed, failed, not_done)                              \
	"check={\"seed\":7,\"passed\":" passed ",\"failed\":" failed \
	",\"skipped\":0,\"not_done\":" not_done "}"

/* The check ends for a variant after three wrong results or a crash.  Rivals are the fastest of
 * each point in the first launch; all others measure them beside the variants that passed. */
Test(judging, verdicts)
{
	static const struct time scout[] = {
		{ "only", 3000, 50, "" },   { "copy", 1000, 50, "" },     { "slow", 1000, 60, "" },
		{ "best", 1000, 20, PEER }, { "copy", 2000, 90, "" },     { "slow", 2000, 70, "" },
		{ "best", 2000, 30, PEER }, { "wrong", 2000, 1, PLUGIN },
	};
	static const struct time launch[] = {
		{ "steps", 1000, 100, PLUGIN }, { "copy", 1000, 50, "" },
		{ "best", 1000, 25, PEER },     { "steps", 2000, 100, PLUGIN },
		{ "slow", 2000, 80, "" },
	};

	(void)setenv("GPUBENCH_PLUGINS", "nowhere", 1);
	let_write(0, scout, GB_COUNT(scout));
	for (int k = 1; k <= 3; k++)
		let_write(k, launch, GB_COUNT(launch));
	now_ns = gb_now_ns();
	judge("stream cpu/* !cpu/[hi]* --only=%s --seed=7 --budget=%d --count=1000,2000 "
	      "--launches=3",
	      plugin, BUDGET_S);
	cr_expect_str_eq(message, "");
	cr_expect_eq(status, GB_EVERIFY, "%d", status);
	cr_expect_eq(count_lines(printed), 4, "%s", printed);
	expect_line(
		0, "variant=\"cpu/steps\" correct=true honest=true exit_status=0 reasons=[] " CHECK(
			   "31", "0", "0") " machine=\"Z80\" points_not_done=0 emulator=null");
	expect_line(1, "variant=\"cpu/wrong\" correct=false honest=null exit_status=1 " CHECK(
			       "1", "3", "27") " points_not_done=2 points=[]");
	expect_line(2, "variant=\"cpu/tuned\" correct=false exit_status=1 " CHECK("17", "3", "11"));
	expect_line(3, "variant=\"cpu/crash\" correct=false exit_status=4 " CHECK("0", "1", "30"));
	expect_reason(1, 1,
		      "stream/cpu/wrong count=7 seed=7: byte 0 of 7 is 0x2c, the input's is "
		      "0x2d");
	expect_reason(2, 0,
		      "stream/cpu/tuned count=32836 seed=7: byte 0 of 32836 is 0x2c, the "
		      "input's is 0x2d");
	expect_reason(3, 0,
		      "stream/cpu/crash count=0 seed=7: the plug-in crashed in run(): Aborted");
	for (int k = 0; k < 2; k++) {
		cJSON *line = cJSON_Parse(line_at(printed, 0));
		const cJSON *point = cJSON_GetArrayItem(gb_json_at(line, "points"), k);

		cr_expect_eq(gb_json_number(point, "launches"), 3);
		cr_expect_eq(gb_json_number(point, "ours.time_ns"), k ? 80 : 50);
		cr_expect_eq(gb_json_number(point, "rivals"), 3);
		cr_expect_eq(cJSON_IsNull(gb_json_at(point, "peer")), k);
		cJSON_Delete(line);
	}
	cr_expect_eq(count_lines(launched), 4, "%s", launched);
	expect_launch(0, "0.500", 0.5,
		      ",cpu/*,!cpu/steps,!cpu/wrong,!cpu/tuned,!cpu/crash,!cpu/hang,!cpu/"
		      "intrude,!cuda/device");
	for (size_t k = 1; k <= 3; k++)
		expect_launch(k, "5.000", k < 3 ? 0.5 : 1,
			      ",cpu/steps,cpu/only,cpu/copy,cpu/best,cpu/slow");
	cr_expect_str_eq(strstr(launched, "stream"), launched);
	cr_expect(strstr(launched, "stream cpu/* !cpu/[hi]* --only="));
}

/* Without parameters, the points are those of the preset, even with a seed.  Otherwise the seed is
 * secret. */
Test(judging, points_and_seeds)
{
	double seed[2];

	for (size_t i = 0; i < 2; i++) {
		cJSON *line;

		judge("stream cpu/steps --only=%s --budget=0.1", plugin);
		line = cJSON_Parse(line_at(printed, 0));
		seed[i] = gb_json_number(line, "check.seed");
		cr_expect(seed[i] > 0 && seed[i] < 0x1p48, "%g", seed[i]);
		/* The budget ends the check. */
		cr_expect_eq(status, GB_EUNDECIDED);
		cr_expect(gb_json_number(line, "check.not_done") > 0);
		cJSON_Delete(line);
	}
	cr_expect(seed[0] < seed[1] || seed[0] > seed[1]);
	for (size_t i = 0; i < 2; i++) {
		judge("radix --only=%s --budget=2 --launches=1 %s", plugin,
		      i ? "--count=7" : "--seed=7");
		expect_line(0, i ? "points_not_done=1" : "points_not_done=3 check.seed=7");
		cr_expect_eq(count_lines(launched), 2, "%s", launched);
		cr_expect(strstr(line_at(launched, 1), ",cpu/empty"));
	}
}

/* The time for samples is shared by the measurements of a launch. */
Test(judging, shares)
{
	double seconds[2] = { 0 };

	judge("stream cpu/steps --only=%s --budget=400 --launches=1 --count=1:100:1", plugin);
	for (size_t i = 0; i < 2; i++)
		(void)sscanf(strstr(line_at(launched, i), "--measure="), "--measure=%lf",
			     &seconds[i]);
	cr_expect(seconds[0] > 0.4 && seconds[0] < 0.497, "%g", seconds[0]);
	cr_expect(seconds[1] > 0.8 && seconds[1] < 0.995, "%g", seconds[1]);
	expect_line(0, "points_not_done=100");
}

/* How a launch ends, and how often the judge launches then. */
Test(judging, ends_of_launches)
{
	static const struct time timed[] = { { "steps", 1000, 100, PLUGIN } };
	static const struct time doubtful[] = { { "steps", 1000, 100, PLUGIN DOUBTFUL } };
	static const struct {
		int ends[2];   /* the first launch, the next */
		bool doubtful; /* the record of each of the others */
		int launches;  /* --launches */
		size_t made;
		int status;
		const char *message;
	} row[] = {
		{ { GB_EVERIFY, GB_ERUNTIME }, false, 1, 2, GB_OK, "" },
		{ { 0, 0 }, true, 1, 3, GB_EUNDECIDED, "" },
		{ { GB_EUSAGE, 0 }, false, 2, 1, GB_EUSAGE, "" },
		{ { 0, GB_EIO }, false, 2, 2, GB_EIO, "" },
		{ { 0, GB_EINTERRUPTED }, false, 2, 2, GB_EINTERRUPTED, "" },
		{ { -SIGKILL, 0 }, false, 2, 1, GB_ERUNTIME, "launch 1 was ended by signal 9" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char want[500];

		let_end(0, row[i].ends[0]);
		let_end(1, row[i].ends[1]);
		for (int k = 1; k < 4; k++)
			let_write(k, row[i].doubtful ? doubtful : timed, 1);
		judge("stream cpu/steps --only=%s --count=1000 --launches=%d", plugin,
		      row[i].launches);
		cr_expect_eq(status, row[i].status, "row %zu: %d", i, status);
		cr_expect_eq(count_lines(launched), row[i].made, "row %zu: %s", i, launched);
		(void)snprintf(want, sizeof want, "%s: %s", plugin, row[i].message);
		cr_expect_str_eq(message, *row[i].message ? want : "");
		cr_expect_eq(count_lines(printed), i < 2, "row %zu: %s", i, printed);
	}
}

/* Limits of the plug-in's process, and a device that is absent. */
Test(judging, limits)
{
	struct gb_error absent = { 0 };

	judge("stream cpu/hang --only=%s --timeout=0.3 --measure=1,1", plugin);
	expect_line(0, "correct=false exit_status=4 check.failed=1");
	cr_expect(strstr(printed, "time-out: run() did not end within 0.3 s"), "%s", printed);
	if (UNLESS_SANITIZED(true, false)) {
		judge("stream cpu/intrude --only=%s --budget=2", plugin);
		cr_expect(strstr(printed, "\"reasons\":[]"), "%s", printed);
		cr_expect_null(strstr(printed, "\"passed\":0"));
		judge("radix cpu/hoard --only=%s --memory=33554432", plugin);
		expect_line(0, "correct=null exit_status=6 check.passed=0 check.not_done=0");
		expect_reason(0, 0, "skipped: no address space");
	}
	if (gb_device_open(GB_CUDA, 0, &absent)) {
		judge("stream cuda/device --only=%s", plugin);
		expect_line(0, "correct=null exit_status=6 check.passed=0 check.failed=0 "
			       "check.not_done=0");
		cr_expect(strstr(printed, "[\"skipped: "), "%s", printed);
		cr_expect_str_eq(launched, "");
	}
}

/* Files that cannot be judged. */
Test(judging, refusals)
{
	static const struct {
		const char *words, *message;
	} row[] = {
		{ "octree", "has no variant of octree" },
		{ "stream cpu/copy", "has no variant of stream that the words match" },
		{ "stream --from=no/such.cu", "no/such.cu: No such file or directory" },
		{ "stream --count=0x", NULL },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char want[500] = "--count=0x: not an integer such as 4096, 10k, 16Mi or 2^20";

		judge("%s --only=%s", row[i].words, plugin);
		if (row[i].message)
			(void)snprintf(want, sizeof want, "%s: %s", plugin, row[i].message);
		cr_expect_str_eq(message, want);
		cr_expect_eq(status, GB_EUSAGE);
		cr_expect_str_eq(printed, "");
		cr_expect_str_eq(launched, "");
	}
}

/* ---- a launch that measures ----------------------------------------------------------------- */

Test(judging, measures)
{
	static const struct {
		const char *until;
		const char *records; /* their lines */
	} row[] = {
		{ "1e30", "copy 1000\nsteps 1000\ncopy 2000\nsteps 2000\n" },
		{ "1", "" },
	};
	const int file = memfd_create("records", 0);
	char role[64], text[65536];

	(void)snprintf(role, sizeof role, "0:0:0:%d:/proc/self/fd/%d", file, file);
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char found[200] = "";

		(void)ftruncate(file, 0);
		(void)lseek(file, 0, SEEK_SET);
		(void)setenv("GPUBENCH_LAUNCH", role, 1);
		judge("stream cpu/wrong --only=%s --count=1000,2000 --measure=0.013,%s,cpu/steps,"
		      "cpu/copy --threads=1",
		      plugin, row[i].until);
		(void)unsetenv("GPUBENCH_LAUNCH");
		read_text(file, text, sizeof text);
		for (size_t k = 0; *line_at(text, k); k++) {
			cJSON *line = cJSON_Parse(line_at(text, k));

			if (k == 0)
				cr_expect_eq(gb_json_number(line, "settings.max_time_s"), 0.013,
					     "%s", line_at(text, 0));
			else
				gb_text_append(found, sizeof found, "%s %.0f\n",
					       gb_json_text(line, "variant"),
					       gb_json_number(line, "params.count"));
			cJSON_Delete(line);
		}
		cr_expect_str_eq(found, row[i].records);
		cr_expect_eq(status, GB_OK, "%s", message);
		cr_expect_str_eq(printed, "");
	}
}

/* ---- all files ---------------------------------------------------------------------------- */

/* One launch for each file, until a signal ends the judge. */
Test(judging, files)
{
	static const struct {
		const char *words;
		int ends[3];
		int status;
		const char *launched, *message;
	} row[] = {
		{ "stream --plugin=a.so,b.so,c.so",
		  { GB_EUNDECIDED, GB_EVERIFY, GB_OK },
		  GB_EVERIFY,
		  "stream --plugin=a.so,b.so,c.so --only=a.so\n"
		  "stream --plugin=a.so,b.so,c.so --only=b.so\n"
		  "stream --plugin=a.so,b.so,c.so --only=c.so\n",
		  "" },
		{ "stream cpu/x --plugin=long.so,b.so --source=x.cu, --count=5",
		  { GB_OK, GB_OK },
		  GB_OK,
		  "stream cpu/x --plugin=long.so,b.so --source=x.cu, --count=5 --only=long.so "
		  "--from=x.cu\n"
		  "stream cpu/x --plugin=long.so,b.so --source=x.cu, --count=5 --only=b.so\n",
		  "" },
		{ "stream --plugin=a.so,b.so --source=,y.cu",
		  { -SIGKILL, GB_OK },
		  GB_ERUNTIME,
		  "stream --plugin=a.so,b.so --source=,y.cu --only=a.so\n"
		  "stream --plugin=a.so,b.so --source=,y.cu --only=b.so --from=y.cu\n",
		  "gpubench: the judge of a.so was ended by signal 9\n" },
		{ "stream --plugin=a.so,b.so",
		  { GB_EINTERRUPTED, GB_OK },
		  GB_EINTERRUPTED,
		  "stream --plugin=a.so,b.so --only=a.so\n",
		  "" },
		{ "stream --plugin=,a.so", { 0 }, GB_EUSAGE, "", NULL },
		{ "stream --plugin=a.so,", { 0 }, GB_EUSAGE, "", NULL },
		{ "stream --plugin=a.so,,b.so", { 0 }, GB_EUSAGE, "", NULL },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		for (int k = 0; k < 3; k++)
			let_end(k, row[i].ends[k]);
		judge("%s", row[i].words);
		cr_expect_eq(status, row[i].status, "%s: %d", row[i].words, status);
		cr_expect_str_eq(launched, row[i].launched);
		cr_expect_str_eq(message, row[i].message
						  ? row[i].message
						  : "--plugin: expects files, separated by commas");
	}
}
