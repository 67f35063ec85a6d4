#include "cli/commands/benchmarks.h"

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

enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err)
{
	for (size_t i = 0; i < gb_workload_count; i++) {
		const struct gb_workload *w = gb_workloads[i];
		const char *const *line = preset == GB_PRESETS ? w->check : w->preset[preset];

		for (; gb_chosen_any(&request->choice, w) && line && *line && !err->code; line++) {
			struct gb_sweep sweep = { 0 };

			if (!gb_sweep_words(&sweep, w, *line, err) &&
			    !gb_sweep_threads(&sweep, request->threads, err))
				(void)take(self, &sweep, err);
			gb_sweep_release(&sweep);
		}
	}
	return err->code;
}
