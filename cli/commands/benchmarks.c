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

enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err)
{
	for (size_t i = 0; i < request->glob_count; i++)
		if (!gb_workload_find(request->glob[i]))
			return gb_fail(err, GB_EUSAGE,
				       "'%.80s' is not a benchmark (see gpubench list)",
				       request->glob[i]);
	return gb_check_threads(request, err);
}

bool gb_named(const struct gb_request *request, const struct gb_workload *workload)
{
	for (size_t i = 0; i < request->glob_count; i++)
		if (gb_workload_find(request->glob[i]) == workload)
			return true;
	return request->glob_count == 0;
}
