/* registry.c -- look up workloads by name and match variant globs. */
#include "cli/benchmarks/registry.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/benchmarks/value.h"
#include "common/text.h"

const struct gb_workload *const gb_workloads[] = {
#define WORKLOAD(name) &gb_##name##_workload,
#include "cli/benchmarks/benchmarks.def"
};
const size_t gb_workload_count = GB_COUNT(gb_workloads);

const struct gb_workload *gb_workload_find(const char *name)
{
	for (size_t i = 0; i < gb_workload_count; i++)
		if (gb_equal(gb_workloads[i]->name, name))
			return gb_workloads[i];
	return NULL;
}

const char *gb_workload_source(const struct gb_workload *workload, const void *params)
{
	const struct gb_param *file =
		gb_param_find(workload->params, workload->param_count, "file");

	if (workload->source)
		return workload->source(params);
	return file && gb_value_load(file, params).s ? "file" : "generated";
}

bool gb_variant_matches(const struct gb_variant *variant, const char *glob)
{
	const char *backend = gb_backends[variant->backend]->name;
	char name[96];

	(void)snprintf(name, sizeof name, "%s/%s/%s", variant->workload, backend, variant->name);
	return fnmatch(glob, name, FNM_PATHNAME) == 0 ||
	       fnmatch(glob, name + strlen(variant->workload) + 1, 0) == 0 ||
	       fnmatch(glob, variant->name, 0) == 0;
}
