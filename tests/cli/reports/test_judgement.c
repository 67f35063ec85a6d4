/* test_judgement.c -- verdicts from results of a check and from records of launches. */
#include <criterion/criterion.h>

#include "cli/records/version.h"
#include "cli/reports/judgement.h"
#include "cli/workloads/registry.h"
#include "common/variants.h"
#include "tests/line_of.h"

static const struct gb_plugin_file file = { .path = "./p.so", .name = "p", .version = "1" };
static const struct gb_variant variant = {
	.workload = "radix", .name = "mine", .backend = GB_CPU, .plugin = &file
};

static void add_time(struct gb_records *list, const char *name, const char *more, int ns)
{
	char time[100] = "";
	char text[600];

	if (!strstr(more, "failed") && !strstr(more, "skipped"))
		(void)snprintf(time, sizeof time,
			       ",\"time\":{\"clock\":\"host\",\"median\":%d,\"samples\":[%d]}", ns,
			       ns);
	(void)snprintf(text, sizeof text,
		       "{\"type\":\"record\",\"variant\":\"%s\",\"key\":\"radix/cpu/%s count=9\","
		       "\"params\":{\"count\":9%s}%s%s}",
		       name, name, strcmp(name, "mine") ? "" : ",\"threads\":1", time, more);
	add_line_of(list, text);
}

#define TIME     ",\"status\":\"failed\",\"error\":\"time\""
#define DOUBTFUL ",\"status\":\"doubtful\""

static const char mine[] = ",\"plugin\":{\"name\":\"p\",\"version\":\"1\",\"path\":\"./p.so\","
			   "\"sha256\":\"0\"}";

/* Results of the check and the launches of a timed point -> what the verdict says. */
static const struct {
	const char *name;
	size_t planned, passed, skipped;
	enum gb_status failure; /* one more point of the check ends so */
	enum gb_verdict verdict;
	const char *point; /* more members of the record of bad launches; NULL: there is none */
	size_t good, bad;  /* launches */
	const char *correct, *honest;
	enum gb_status status;
	const char *suspected; /* NULL: there is no point */
} row[] = {
	{ "all is well", 3, 3, 0, GB_OK, GB_PASS, "", 1, 1, "true", "true", GB_OK, "0" },
	{ "some are skipped", 3, 1, 2, GB_OK, GB_PASS, "", 1, 1, "true", "true", GB_OK, "0" },
	{ "all are skipped", 3, 0, 3, GB_OK, GB_PASS, NULL, 0, 0, "null", "null", GB_EUNDECIDED,
	  NULL },
	{ "the check is cut", 3, 2, 0, GB_OK, GB_PASS, "", 1, 1, "null", "true", GB_EUNDECIDED,
	  "0" },
	{ "nothing is timed", 3, 3, 0, GB_OK, GB_PASS, NULL, 0, 0, "true", "null", GB_EUNDECIDED,
	  NULL },
	{ "wrong", 3, 2, 0, GB_EVERIFY, GB_FAIL, NULL, 0, 0, "false", "null", GB_EVERIFY, NULL },
	{ "refused", 3, 2, 0, GB_EVERIFY, GB_NOT_VERIFIED, NULL, 0, 0, "false", "false", GB_EVERIFY,
	  NULL },
	{ "crash", 3, 2, 0, GB_ERUNTIME, GB_NOT_VERIFIED, NULL, 0, 0, "false", "null", GB_ERUNTIME,
	  NULL },
	{ "wrong when timed", 3, 3, 0, GB_OK, GB_PASS,
	  ",\"status\":\"failed\",\"error\":\"verify\",\"verify\":{\"result\":\"fail\"}", 5, 1,
	  "false", "null", GB_EVERIFY, "0" },
	{ "dishonest", 3, 3, 0, GB_OK, GB_PASS, ",\"status\":\"failed\",\"error\":\"verify\"", 5, 1,
	  "true", "false", GB_EVERIFY, "0" },
	{ "crash when timed", 3, 3, 0, GB_OK, GB_PASS,
	  ",\"status\":\"failed\",\"error\":\"runtime\"", 5, 1, "false", "null", GB_ERUNTIME, "0" },
	/* A rule that rests on times alone needs two launches, or one and no other time. */
	{ "one stall", 3, 3, 0, GB_OK, GB_PASS, TIME, 1, 1, "true", "true", GB_OK, "1" },
	{ "one stall of one", 3, 3, 0, GB_OK, GB_PASS, TIME, 0, 1, "true", "null", GB_EUNDECIDED,
	  "1" },
	{ "two of six", 3, 3, 0, GB_OK, GB_PASS, TIME, 4, 2, "true", "false", GB_EVERIFY, "2" },
	{ "every launch", 3, 3, 0, GB_OK, GB_PASS, TIME, 0, 2, "true", "false", GB_EVERIFY, "2" },
	{ "doubtful once", 3, 3, 0, GB_OK, GB_PASS, DOUBTFUL, 1, 1, "true", "true", GB_OK, "1" },
	{ "doubtful", 3, 3, 0, GB_OK, GB_PASS, DOUBTFUL, 4, 2, "true", "null", GB_EUNDECIDED, "2" },
	{ "doubtful, the only one", 3, 3, 0, GB_OK, GB_PASS, DOUBTFUL, 0, 1, "true", "null",
	  GB_EUNDECIDED, "1" },
};

static void add_results(struct gb_judgement *j, enum gb_outcome outcome, size_t count,
			enum gb_status code, enum gb_verdict verdict)
{
	const struct gb_workload *workload = gb_workload_find("radix");
	unsigned char params[1024] = { 0 };
	struct gb_result result = { .workload = workload,
				    .variant = &variant,
				    .params = params,
				    .outcome = outcome,
				    .code = code,
				    .verdict = verdict };

	for (size_t i = 0; i < count; i++) {
		(void)snprintf(result.reason, sizeof result.reason, "%zu", i);
		gb_judge_check(j, &result);
	}
}

static void expect(const cJSON *line, const char *name, const char *member, const char *value)
{
	char *text = cJSON_PrintUnformatted(gb_json_at(line, member));

	cr_expect_str_eq(text, value, "%s: %s is %s", name, member, text);
	cJSON_free(text);
}

Test(judgement, statuses)
{
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const int failed = row[i].failure != GB_OK;
		struct gb_judgement j = { .variant = &variant,
					  .planned = row[i].planned,
					  .points_planned = 2,
					  .seed = 5 };
		struct gb_records scout = { 0 }, launches = { 0 };
		struct gb_error err = { 0 };
		char more[400];
		cJSON *line;

		add_results(&j, GB_RESULT_OK, row[i].passed, GB_OK, GB_PASS);
		add_results(&j, GB_SKIPPED, row[i].skipped, GB_EUNAVAILABLE, GB_NOT_VERIFIED);
		add_results(&j, GB_FAILED, (size_t)failed, row[i].failure, row[i].verdict);
		(void)snprintf(more, sizeof more, "%s%s", mine, row[i].point ? row[i].point : "");
		for (size_t k = 0; k < row[i].good + row[i].bad; k++)
			add_time(&launches, "mine", k < row[i].good ? mine : more, 100);
		cr_expect_eq(gb_judge_suspects(&launches),
			     row[i].suspected && row[i].suspected[0] != '0', "%s", row[i].name);
		cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
		cr_expect_eq(gb_judgement_status(&j), row[i].status, "%s", row[i].name);
		line = gb_judgement_format(&j);
		(void)snprintf(more, sizeof more,
			       "{\"seed\":5,\"passed\":%zu,\"failed\":%d,\"skipped\":%zu,"
			       "\"not_done\":%zu}",
			       row[i].passed, failed, row[i].skipped,
			       row[i].planned - row[i].passed - row[i].skipped - failed);
		expect(line, row[i].name, "check", more);
		(void)snprintf(more, sizeof more, "%d", (int)row[i].status);
		expect(line, row[i].name, "exit_status", more);
		expect(line, row[i].name, "points_not_done", row[i].suspected ? "1" : "2");
		expect(line, row[i].name, "correct", row[i].correct);
		expect(line, row[i].name, "honest", row[i].honest);
		if (row[i].suspected)
			expect(cJSON_GetArrayItem(gb_json_at(line, "points"), 0), row[i].name,
			       "suspected", row[i].suspected);
		cJSON_Delete(line);
		gb_records_release(&scout);
		gb_records_release(&launches);
	}
}

/* The first launch chooses the rival, the others give the ratio.  The plug-in's other variants and
 * other back ends are no points of this one. */
Test(judgement, rivals)
{
	struct gb_judgement j = { .variant = &variant, .planned = 1, .points_planned = 3 };
	struct gb_records scout = { 0 }, launches = { 0 };
	struct gb_error err = { 0 };
	static const char wanted[] =
		"{\"type\":\"verdict\",\"schema\":1,\"program\":\"" GB_VERSION_LINE
		"\",\"commit\":\"abc\",\"machine\":\"Z80\","
		"\"plugin\":{\"name\":\"p\",\"version\":\"1\",\"path\":\"./"
		"p.so\",\"sha256\":\"\"},\"benchmark\":\"radix\","
		"\"variant\":\"cpu/mine\",\"correct\":false,\"honest\":null,\"exit_status\":4,"
		"\"reasons\":[\"bad: failed: ? (1 of 1 launches)\"],"
		"\"check\":{\"seed\":0,\"passed\":1,\"failed\":0,\"skipped\":0,\"not_done\":0},"
		"\"emulator\":null,\"counts\":null,\"points_not_done\":1,"
		"\"points\":[{\"key\":\"radix/cpu/mine "
		"count=9\",\"status\":\"ok\",\"reason\":null,\"launches\":6,"
		"\"suspected\":0,\"time_ns\":100,\"time_low\":100,\"time_high\":105,\"rivals\":4,"
		"\"rivals_failed\":1,"
		"\"ours\":{\"key\":\"radix/cpu/fast "
		"count=9\",\"time_ns\":50,\"time_low\":50,\"time_high\":50,"
		"\"launches\":6,\"ratio\":2,\"ratio_low\":2,\"ratio_high\":2.1},"
		"\"peer\":{\"key\":\"radix/cpu/library "
		"count=9\",\"time_ns\":200,\"time_low\":200,\"time_high\":200,"
		"\"launches\":6,\"ratio\":0.5,\"ratio_low\":0.5,\"ratio_high\":0.525}},"
		"{\"key\":\"bad\",\"status\":\"failed\",\"reason\":null,\"launches\":1,"
		"\"suspected\":0,\"time_ns\":null,"
		"\"time_low\":null,\"time_high\":null,\"rivals\":0,\"rivals_failed\":0,\"ours\":"
		"null,\"peer\":null}]}";
	char *text;
	cJSON *line;

	add_line_of(&launches, "{\"type\":\"run\",\"tool\":{\"commit\":\"abc\"},\"host\":{"
			       "\"cpu\":\"Z80\"}}");
	add_time(&scout, "fast", "", 30);
	add_time(&scout, "slow", "", 90);
	add_time(&scout, "as-fast", "", 30);
	add_time(&scout, "doubtful", ",\"status\":\"doubtful\"", 1);
	add_time(&scout, "mine", mine, 1);
	add_time(&scout, "library", ",\"peer\":true", 20);
	add_time(&scout, "device", ",\"backend\":\"cuda\"", 1);
	add_time(&scout, "skips", ",\"status\":\"skipped\"", 1);
	add_time(&scout, "elsewhere", "", 1);
	scout.record[scout.count - 1]->params.item[0].number = 8;
	add_time(&launches, "other", mine, 1);
	add_time(&launches, "device", mine, 1);
	launches.record[launches.count - 1]->variant = "mine";
	launches.record[launches.count - 1]->backend = "cuda";
	for (int i = 0; i < 6; i++) {
		add_time(&launches, "mine", mine, i < 5 ? 100 : 105);
		add_time(&launches, "fast", "", 50);
		add_time(&launches, "slow", "", 25);
		add_time(&launches, "library", ",\"peer\":true", 200);
	}
	add_time(&launches, "mine", mine, 1);
	launches.record[launches.count - 1]->key = "bad";
	launches.record[launches.count - 1]->status = GB_STATUS_FAILED;
	add_results(&j, GB_RESULT_OK, 1, GB_OK, GB_PASS);
	cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
	line = gb_judgement_format(&j);
	text = cJSON_PrintUnformatted(line);
	cr_expect_str_eq(text, wanted, "%s", text);
	cJSON_free(text);
	cJSON_Delete(line);
	gb_records_release(&scout);
	gb_records_release(&launches);
}

/* A rival that was chosen but did not run with the launches. */
Test(judgement, an_absent_rival)
{
	struct gb_judgement j = { .variant = &variant, .planned = 1 };
	struct gb_records scout = { 0 }, launches = { 0 };
	struct gb_error err = { 0 };
	cJSON *line;

	add_time(&scout, "fast", "", 30);
	add_time(&launches, "mine", mine, 100);
	cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
	line = gb_judgement_format(&j);
	expect(cJSON_GetArrayItem(gb_json_at(line, "points"), 0), "absent", "rivals", "1");
	expect(cJSON_GetArrayItem(gb_json_at(line, "points"), 0), "absent", "ours", "null");
	cJSON_Delete(line);
	gb_records_release(&scout);
	gb_records_release(&launches);
}

/* A fault that the emulator finds is one of the variant; without a result nothing changes. */
Test(judgement, emulated)
{
	static const struct {
		const char *text, *correct, *reasons;
		enum gb_status status;
	} cases[] = {
		{ "{\"failed\":0,\"reason\":\"no emulator\"}", "true", "[]", GB_EUNDECIDED },
		{ "{\"failed\":1,\"reason\":\"race\"}", "false", "[\"in the emulator: race\"]",
		  GB_EVERIFY },
		{ "{\"failed\":2}", "false", "[\"in the emulator: ?\"]", GB_EVERIFY },
	};

	for (size_t i = 0; i < GB_COUNT(cases); i++) {
		struct gb_judgement j = { .variant = &variant, .planned = 1 };
		cJSON *line;

		add_results(&j, GB_RESULT_OK, 1, GB_OK, GB_PASS);
		gb_judge_emulated(&j, cJSON_Parse(cases[i].text));
		cr_expect_eq(gb_judgement_status(&j), cases[i].status, "%s", cases[i].text);
		line = gb_judgement_format(&j);
		gb_judgement_release(&j); /* the document owns all parts now */
		expect(line, cases[i].text, "points", "[]");
		expect(line, cases[i].text, "correct", cases[i].correct);
		expect(line, cases[i].text, "reasons", cases[i].reasons);
		expect(line, cases[i].text, "emulator", cases[i].text);
		expect(line, cases[i].text, "counts", "null");
		cJSON_Delete(line);
		/* A report that was not printed is released, once. */
		gb_judge_emulated(&j, cJSON_Parse(cases[i].text));
		gb_judgement_release(&j);
		gb_judgement_release(&j);
	}
}

/* Each fault is listed with the number of launches that show it, and the reason of the first of
 * these; at most GB_REASONS of them. */
Test(judgement, reasons)
{
	static const struct {
		const char *bad, *reason; /* for bad launches; the number of the launch follows */
		size_t good, bad_ones;
		const char *reasons, *others; /* others: members of good launches */
	} cases[] = {
		{ "", NULL, 2, 0, "[]", "" },
		{ ",\"status\":\"failed\",\"error\":\"runtime\"", "abc", 5, 2,
		  "[\"radix/cpu/mine count=9: failed: abc 5 (2 of 7 launches)\"]", "" },
		{ ",\"status\":\"failed\",\"error\":\"verify\"", NULL, 1, 3,
		  "[\"radix/cpu/mine count=9: failed: ? (3 of 4 launches)\"]", "" },
		{ TIME, "late", 2, 1,
		  "[\"radix/cpu/mine count=9: suspected: late 2 (1 of 3 launches)\"]", "" },
		{ DOUBTFUL, "quick", 2, 2,
		  "[\"radix/cpu/mine count=9: doubtful: quick 2 (2 of 4 launches)\"]", "" },
		{ DOUBTFUL, "quick", 0, 1,
		  "[\"radix/cpu/mine count=9: doubtful: quick 0 (1 of 1 launches)\"]", "" },
		{ TIME, "late", 1, 3, "[\"radix/cpu/mine count=9: failed: ? (1 of 4 launches)\"]",
		  ",\"status\":\"failed\",\"error\":\"runtime\"" },
	};
	struct gb_judgement j = { .variant = &variant, .planned = 1 };

	for (size_t i = 0; i < GB_COUNT(cases); i++) {
		struct gb_judgement one = { .variant = &variant, .planned = 1 };
		struct gb_records scout = { 0 }, launches = { 0 };
		struct gb_error err = { 0 };
		char more[400];
		cJSON *line;

		for (size_t k = 0; k < cases[i].good + cases[i].bad_ones; k++) {
			const bool good = k < cases[i].good;
			int n = snprintf(more, sizeof more, "%s%s", mine,
					 good ? cases[i].others : cases[i].bad);

			if (cases[i].reason && !good)
				(void)snprintf(more + n, sizeof more - (size_t)n,
					       ",\"reason\":\"%s %zu\"", cases[i].reason, k);
			add_time(&launches, "mine", more, 100);
		}
		cr_assert_not(gb_judge_points(&one, 1, &scout, &launches, &err));
		line = gb_judgement_format(&one);
		expect(line, cases[i].reasons, "reasons", cases[i].reasons);
		cJSON_Delete(line);
		gb_records_release(&launches);
	}
	add_results(&j, GB_SKIPPED, 3, GB_EUNAVAILABLE, GB_NOT_VERIFIED);
	cr_expect_eq(j.reasons, 1);
	add_results(&j, GB_FAILED, GB_REASONS, GB_ERUNTIME, GB_NOT_VERIFIED);
	cr_expect_eq(j.reasons, GB_REASONS);
	cr_expect_eq(j.failed, GB_REASONS);
	cr_expect_str_eq(j.reason[0], "skipped: 0");
	cr_expect(strncmp(j.reason[1], "radix/cpu/mine ", 15) == 0, "%s", j.reason[1]);
	cr_expect_str_eq(strchr(j.reason[1], ':'), ": 0");
}

/* A point that is right and honest does not excuse one that is not. */
Test(judgement, two_points)
{
	static const struct {
		const char *other;
		enum gb_status status;
		const char *honest;
	} cases[] = {
		{ "", GB_OK, "true" },
		{ DOUBTFUL, GB_EUNDECIDED, "null" },
		{ TIME, GB_EVERIFY, "false" },
		{ ",\"status\":\"failed\",\"error\":\"runtime\"", GB_ERUNTIME, "null" },
		{ ",\"status\":\"skipped\"", GB_OK, "true" },
	};

	for (size_t i = 0; i < 2 * GB_COUNT(cases); i++) {
		struct gb_judgement j = { .variant = &variant, .planned = 1 };
		struct gb_records scout = { 0 }, launches = { 0 };
		struct gb_error err = { 0 };
		char more[400];
		cJSON *line;

		(void)snprintf(more, sizeof more, "%s%s", mine, cases[i / 2].other);
		for (size_t k = 0; k < 4; k++) {
			add_time(&launches, "mine", k % 2 == i % 2 ? mine : more, 100);
			launches.record[k]->key =
				k % 2 ? "radix/cpu/mine count=8" : "radix/cpu/mine count=9";
		}
		add_results(&j, GB_RESULT_OK, 1, GB_OK, GB_PASS);
		cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
		cr_expect_eq(gb_judgement_status(&j), cases[i / 2].status, "%s", more);
		line = gb_judgement_format(&j);
		expect(line, more, "honest", cases[i / 2].honest);
		cr_expect_eq(cJSON_GetArraySize(gb_json_at(line, "points")), 2);
		cJSON_Delete(line);
		gb_records_release(&launches);
	}
}
