#include "cli/commands/benchmarks.h"

#include "cli/measuring/sweep.h"
#include "cli/workloads/registry.h"
#include "common/suggest.h"

enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	if (!gb_sweep_init(&sweep, gb_workloads[0], err))
		(void)gb_sweep_threads(&sweep, request->threads, err);
	gb_sweep_release(&sweep);
	return err->code;
}

enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err)
{
	return gb_check_words(request->glob, request->glob_count, err)
		       ? err->code
		       : gb_check_threads(request, err);
}

enum gb_status gb_check_words(const char *const *word, size_t count, struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct gb_suggest near = { .word = word[i] };

		if (gb_workload_find(word[i]))
			continue;
		for (size_t w = 0; w < gb_workload_count; w++)
			gb_suggest_offer(&near, gb_workloads[w]->name);
		return gb_fail(err, GB_EUSAGE, "'%.80s' is not a benchmark%s", word[i],
			       gb_suggest_text(&near, " (see gpubench list)"));
	}
	return GB_OK;
}

bool gb_is_among(const struct gb_workload *workload, const char *const *word, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gb_workload_find(word[i]) == workload)
			return true;
	return count == 0;
}

bool gb_named(const struct gb_request *request, const struct gb_workload *workload)
{
	return gb_is_among(workload, request->glob, request->glob_count);
}
