/* list.c -- `gpubench list` and `gpubench env`: benchmarks, variants, machine and build. */
#include <stdio.h>

#include "cli/commands/benchmarks.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/reports/finish.h"
#include "cli/reports/machine.h"
#include "cli/workloads/registry.h"
#include "common/text.h"
#include "common/variants.h"

static void list_variants(const struct gb_workload *workload)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		char name[64];

		if (!gb_equal(v->workload, workload->name))
			continue;
		(void)snprintf(name, sizeof name, "%s/%s", gb_backends[v->backend]->name, v->name);
		(void)printf("  %-18s %s%s%s%s%s\n", name, v->peer ? "peer: " : "", v->summary,
			     v->ops ? "" : " (not in this build: ", v->ops ? "" : v->absent,
			     v->ops ? "" : ")");
	}
}

enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;

	if (gb_options_parse(&request, NULL, NULL, "[BENCHMARK...]",
			     "List the benchmarks and their variants.", argc, argv, err) ||
	    request.done || gb_check_names(&request, err))
		return err->code;
	for (size_t i = 0; i < gb_workload_count; i++) {
		if (!gb_named(&request, gb_workloads[i]))
			continue;
		(void)printf("%s: %s\n", gb_workloads[i]->name, gb_workloads[i]->summary);
		if (gb_workloads[i]->paper)
			(void)printf("  paper: %s\n", gb_workloads[i]->paper);
		list_variants(gb_workloads[i]);
	}
	return GB_OK;
}

enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;

	if (gb_options_parse(&request, NULL, NULL, "",
			     "Tell what the records say about this machine and build.", argc, argv,
			     err) ||
	    request.done)
		return err->code;
	if (request.glob_count)
		return gb_fail(err, GB_EUSAGE, "env takes no words");
	if (!gb_session_open(&session, &request, argc, argv, err) && !session.output.to_stdout)
		gb_env_print(stdout, session.records.line[0]);
	return gb_finish(&session, true, err);
}
