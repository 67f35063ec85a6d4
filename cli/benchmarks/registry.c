/* registry.c -- look up benchmarks by name and match variant globs. */
#include "cli/benchmarks/registry.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/value.h"
#include "common/text.h"

const struct gb_benchmark *const gb_benchmarks[] = {
#define BENCHMARK(name) &gb_##name##_benchmark,
#include "cli/benchmarks/benchmarks.def"
};
const size_t gb_benchmark_count = GB_COUNT(gb_benchmarks);

const struct gb_benchmark *gb_benchmark_find(const char *name)
{
	for (size_t i = 0; i < gb_benchmark_count; i++)
		if (gb_equal(gb_benchmarks[i]->name, name))
			return gb_benchmarks[i];
	return NULL;
}

bool gb_names_file(const struct gb_benchmark *benchmark, const char *word)
{
	return gb_param_find(benchmark->params, benchmark->param_count, "file") &&
	       access(word, F_OK) == 0;
}

const char *gb_benchmark_source(const struct gb_benchmark *benchmark, const void *params)
{
	const struct gb_param *file =
		gb_param_find(benchmark->params, benchmark->param_count, "file");

	return file && gb_value_load(file, params).s ? "file" : "generated";
}

bool gb_variant_matches(const struct gb_variant *variant, const char *glob)
{
	const char *backend = gb_backends[variant->backend]->name;
	char name[96];

	(void)snprintf(name, sizeof name, "%s/%s/%s", variant->benchmark, backend, variant->name);
	return fnmatch(glob, name, FNM_PATHNAME) == 0 ||
	       fnmatch(glob, name + strlen(variant->benchmark) + 1, 0) == 0 ||
	       fnmatch(glob, variant->name, 0) == 0;
}
