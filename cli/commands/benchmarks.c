#include "cli/commands/benchmarks.h"

#include "cli/measuring/sweep.h"
#include "cli/workloads/registry.h"

enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	if (!gb_sweep_init(&sweep, gb_workloads[0], err))
		(void)gb_sweep_threads(&sweep, request->threads, err);
	gb_sweep_release(&sweep);
	return err->code;
}

enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err)
{
	return gb_choice_read(&request->choice, NULL, arguments->word, arguments->word_count, err)
		       ? err->code
		       : gb_check_threads(request, err);
}
