/* test_judgement.c -- verdicts from results of a check and from records of launches. */
#include <criterion/criterion.h>

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

	if (!strstr(more, "failed"))
		(void)snprintf(time, sizeof time,
			       ",\"time\":{\"clock\":\"host\",\"median\":%d,\"samples\":[%d]}", ns,
			       ns);
	(void)snprintf(text, sizeof text,
		       "{\"type\":\"record\",\"variant\":\"%s\",\"key\":\"radix/cpu/%s count=9\","
		       "\"params\":{\"count\":9}%s%s}",
		       name, name, time, more);
	add_line_of(list, text);
}

static const char mine[] = ",\"plugin\":{\"name\":\"p\",\"version\":\"1\",\"path\":\"./p.so\","
			   "\"sha256\":\"0\"}";

/* Results of the check and the status of a timed point -> what the verdict says. */
static const struct {
	const char *name;
	size_t planned, passed, skipped;
	enum gb_status failure; /* one more point of the check ends so */
	enum gb_verdict verdict;
	const char *point; /* more members of the record; NULL: there is none */
	const char *correct, *honest;
	enum gb_status status;
} row[] = {
	{ "all is well", 3, 3, 0, GB_OK, GB_PASS, "", "true", "true", GB_OK },
	{ "some are skipped", 3, 1, 2, GB_OK, GB_PASS, "", "true", "true", GB_OK },
	{ "all are skipped", 3, 0, 3, GB_OK, GB_PASS, NULL, "null", "null", GB_EUNDECIDED },
	{ "the check is cut", 3, 2, 0, GB_OK, GB_PASS, "", "null", "true", GB_EUNDECIDED },
	{ "nothing is timed", 3, 3, 0, GB_OK, GB_PASS, NULL, "true", "null", GB_EUNDECIDED },
	{ "wrong", 3, 2, 0, GB_EVERIFY, GB_FAIL, NULL, "false", "null", GB_EVERIFY },
	{ "crash", 3, 2, 0, GB_ERUNTIME, GB_NOT_VERIFIED, NULL, "false", "null", GB_ERUNTIME },
	{ "doubtful", 3, 3, 0, GB_OK, GB_PASS, ",\"status\":\"doubtful\"", "true", "null",
	  GB_EUNDECIDED },
	{ "wrong when timed", 3, 3, 0, GB_OK, GB_PASS,
	  ",\"status\":\"failed\",\"error\":\"verify\",\"verify\":{\"result\":\"fail\"}", "false",
	  "null", GB_EVERIFY },
	{ "dishonest", 3, 3, 0, GB_OK, GB_PASS, ",\"status\":\"failed\",\"error\":\"verify\"",
	  "true", "false", GB_EVERIFY },
	{ "crash when timed", 3, 3, 0, GB_OK, GB_PASS,
	  ",\"status\":\"failed\",\"error\":\"runtime\"", "false", "null", GB_ERUNTIME },
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

	for (size_t i = 0; i < count; i++)
		gb_judge_check(j, &result);
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
		struct gb_judgement j = { .variant = &variant, .planned = row[i].planned };
		struct gb_records scout = { 0 }, launches = { 0 };
		struct gb_error err = { 0 };
		char more[400];
		cJSON *line;

		add_results(&j, GB_RESULT_OK, row[i].passed, GB_OK, GB_PASS);
		add_results(&j, GB_SKIPPED, row[i].skipped, GB_EUNAVAILABLE, GB_NOT_VERIFIED);
		add_results(&j, GB_FAILED, row[i].failure != GB_OK, row[i].failure, row[i].verdict);
		if (row[i].point) {
			/* One launch of two is fine. */
			add_time(&launches, "mine", mine, 100);
			(void)snprintf(more, sizeof more, "%s%s", mine, row[i].point);
			add_time(&launches, "mine", more, 100);
		}
		cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
		cr_expect_eq(gb_judgement_status(&j), row[i].status, "%s", row[i].name);
		line = gb_judgement_format(&j);
		expect(line, row[i].name, "correct", row[i].correct);
		expect(line, row[i].name, "honest", row[i].honest);
		cJSON_Delete(line);
		gb_records_release(&scout);
		gb_records_release(&launches);
	}
}

/* The first launch chooses the rival, the others give the ratio. */
Test(judgement, rivals)
{
	struct gb_judgement j = { .variant = &variant, .planned = 1 };
	struct gb_records scout = { 0 }, launches = { 0 };
	struct gb_error err = { 0 };
	cJSON *line;

	add_time(&scout, "slow", "", 90);
	add_time(&scout, "fast", "", 30);
	add_time(&scout, "doubtful", ",\"status\":\"doubtful\"", 1);
	add_time(&scout, "mine", mine, 1);
	add_time(&scout, "library", ",\"peer\":true", 20);
	for (int i = 0; i < 4; i++) {
		add_time(&launches, "mine", mine, 100);
		add_time(&launches, "fast", "", 50);
		add_time(&launches, "slow", "", 25);
		add_time(&launches, "library", ",\"peer\":true", 200);
	}
	add_results(&j, GB_RESULT_OK, 1, GB_OK, GB_PASS);
	cr_assert_not(gb_judge_points(&j, 1, &scout, &launches, &err));
	line = gb_judgement_format(&j);
	cr_assert_eq(cJSON_GetArraySize(gb_json_at(line, "points")), 1);
	{
		const cJSON *point = cJSON_GetArrayItem(gb_json_at(line, "points"), 0);

		expect(point, "rivals", "launches", "4");
		expect(point, "rivals", "time_ns", "100");
		expect(point, "rivals", "rivals", "3");
		expect(point, "rivals", "rivals_failed", "1");
		expect(point, "rivals", "ours.key", "\"radix/cpu/fast count=9\"");
		expect(point, "rivals", "ours.ratio_low", "2");
		expect(point, "rivals", "ours.ratio_high", "2");
		expect(point, "rivals", "peer.key", "\"radix/cpu/library count=9\"");
		expect(point, "rivals", "peer.ratio", "0.5");
	}
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
		expect(line, cases[i].text, "correct", cases[i].correct);
		expect(line, cases[i].text, "reasons", cases[i].reasons);
		expect(line, cases[i].text, "emulator", cases[i].text);
		expect(line, cases[i].text, "counts", "null");
		cJSON_Delete(line);
	}
}
