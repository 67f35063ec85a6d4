/* fuzz_spec.c -- arbitrary text as a SPEC of each benchmark's parameters: all points are expanded,
 * and the values of some are printed as in keys and read back.
 */
#include "cli/benchmarks/registry.h"
#include "cli/measure/sweep.h"
#include "common/text.h"
#include "tests/fuzz/fuzz.h"

/* A printed value reads back as the same value and is its only spelling. */
static void read_back(const struct gb_param *param, const void *params)
{
	union gb_value value = { 0 };
	struct gb_error err = { 0 };
	char text[256], again[256];

	if (param->type == GB_PATH || param->type == GB_FLAG)
		return;
	gb_param_text(param, params, text, sizeof text);
	if (gb_value_parse(param, text, &value, &err))
		abort();
	gb_value_text(param, value, again, sizeof again);
	if (!gb_equal(text, again))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gb_benchmark *benchmark =
		gb_benchmarks[size ? data[0] % gb_benchmark_count : 0];
	struct gb_sweep sweep = { 0 };
	struct gb_error err = { 0 };
	char *text;
	void *params = malloc(benchmark->params_size);
	const size_t row = size ? data[0] / gb_benchmark_count % benchmark->param_count : 0;

	if (size < 2)
		goto out;
	text = strndup((const char *)data + 1, size - 1);
	if (!gb_sweep_init(&sweep, benchmark, &err) && text)
		gb_sweep_set(&sweep, benchmark->params[row].name, text, &err);
	for (size_t i = 0; i < sweep.count; i++) {
		gb_sweep_point(&sweep, i, params);
		if (i < 16)
			read_back(&benchmark->params[row], params);
	}
	gb_sweep_release(&sweep);
	free(text);
out:
	free(params);
	return 0;
}
