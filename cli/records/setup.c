#include "cli/records/setup.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "common/text.h"

const cJSON *gb_setup_gpu(const cJSON *run)
{
	const double device = gb_json_number(run, "settings.device");
	const cJSON *gpu;

	cJSON_ArrayForEach(gpu, gb_json_at(run, "gpus"))
	{
		const double id = gb_json_number(gpu, "id");

		if (id >= device && id <= device)
			return gpu;
	}
	return NULL;
}

const char *gb_setup_machine(const cJSON *record, const cJSON *run)
{
	const char *backend = gb_json_text(record, "backend");

	if (!backend || gb_equal(backend, "cpu"))
		return gb_json_text(run, "host.cpu");
	return gb_json_text(gb_setup_gpu(run), "name");
}

bool gb_setup_is_cold(const cJSON *record, const cJSON *run)
{
	const cJSON *cold = gb_json_at(record, "cold");

	return !cJSON_IsFalse(cJSON_IsBool(cold) ? cold : gb_json_at(run, "settings.cold"));
}

const char *gb_setup_words(const cJSON *item, char *text, size_t size)
{
	if (item && cJSON_IsString(item))
		(void)snprintf(text, size, "%.100s", item->valuestring);
	else if (item && cJSON_IsNumber(item))
		(void)snprintf(text, size, "%.10g", item->valuedouble);
	else
		(void)snprintf(text, size, "%s",
			       cJSON_IsTrue(item)    ? "true"
			       : cJSON_IsFalse(item) ? "false"
						     : "none");
	return text;
}

static enum gb_status check_run(const cJSON *run, const char *path, const cJSON *now,
				const char *hint, struct gb_error *err)
{
	static const struct {
		const char *name, *path;
		bool of_gpu;
	} part[] = {
		{ "host", "host.hostname", false },
		{ "CPU", "host.cpu", false },
		{ "version", "tool.version", false },
		{ "commit", "tool.commit", false },
		{ "uncommitted changes", "tool.dirty", false },
		{ "build", "tool.mode", false },
		{ "compiler", "tool.compiler", false },
		{ "compiler flags", "tool.cflags", false },
		{ "nvcc", "tool.nvcc", false },
		{ "architectures", "tool.archs", false },
		{ "--device", "settings.device", false },
		{ "GPU", "name", true },
		{ "GPU", "uuid", true },
		{ "--cold", "settings.cold", false },
	};

	for (size_t i = 0; i < GB_COUNT(part); i++) {
		const cJSON *a = gb_json_at(part[i].of_gpu ? gb_setup_gpu(run) : run, part[i].path);
		const cJSON *b = gb_json_at(part[i].of_gpu ? gb_setup_gpu(now) : now, part[i].path);
		char there[128], here[128];

		if ((!a && !b) || cJSON_Compare(a, b, true))
			continue;
		return gb_fail(err, GB_EUSAGE, "--resume: %.80s differs in its %s: %s, now %s%s",
			       path, part[i].name, gb_setup_words(a, there, sizeof there),
			       gb_setup_words(b, here, sizeof here), hint);
	}
	return GB_OK;
}

enum gb_status gb_setup_check(const struct gb_records *records, const char *path, const cJSON *now,
			      const char *hint, struct gb_error *err)
{
	for (size_t i = 0; i < records->count; i++)
		if (!gb_is_record(records->line[i]) &&
		    check_run(records->line[i], path, now, hint, err))
			return err->code;
	return GB_OK;
}
