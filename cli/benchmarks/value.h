/* value.h -- conversion of one parameter value between text and a member of a parameter struct.
 *
 *	VALUE := 4096 | 10k | 1.5M | 16Mi | 2^20 | 1e6 | 0.05 | 5% | word
 *
 * A number is decimal.  It may have an exponent and one of the units k M G T Ki Mi Gi Ti, or %.
 * The value of an integer must be whole: 1.5M is.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_VALUE_H
#define GPUBENCH_CLI_BENCHMARKS_VALUE_H

#include "common/benchmark.h"

enum { GB_MAX_PARAMS = 32 }; /* per benchmark */

union gb_value {
	int64_t i;     /* GB_INT, GB_CHOICE, GB_FLAG */
	double f;      /* GB_FLOAT */
	const char *s; /* GB_PATH; points into the text that was parsed, or NULL */
};

/* Parse the whole text as one value of param and check its limits.  GB_EUSAGE names the option, the
 * value and the limit. */
enum gb_status gb_value_parse(const struct gb_param *param, const char *text, union gb_value *value,
			      struct gb_error *err);

/* GB_EUSAGE if value is outside param's limits. */
enum gb_status gb_value_check(const struct gb_param *param, union gb_value value,
			      struct gb_error *err);

void gb_value_store(const struct gb_param *param, void *params, union gb_value value);
union gb_value gb_value_load(const struct gb_param *param, const void *params);

/* Format a value of param in the form that keys use and that can be typed: integers in plain
 * digits, other numbers in the fewest digits that read back exactly, "" for a path that is not
 * given. */
void gb_value_text(const struct gb_param *param, union gb_value value, char *text, size_t size);
/* Format the value that params holds. */
void gb_param_text(const struct gb_param *param, const void *params, char *text, size_t size);

/* The placeholder of param's values in the help: "N", "X", "FILE", "u32|u64|f32|pairs". */
void gb_param_domain(const struct gb_param *param, char *text, size_t size);

/* Zero params, then store the default of every row. */
enum gb_status gb_params_init(const struct gb_param *rows, size_t count, void *params,
			      size_t params_size, struct gb_error *err);

/* The word that the choice `other` must have for the parameter to be used; NULL if any will do. */
const char *gb_param_needs(const struct gb_param *param, const char *other);
/* True if the parameter is not used once the path `other` is given. */
bool gb_param_yields(const struct gb_param *param, const char *other);

/* The row called name, or NULL. */
const struct gb_param *gb_param_find(const struct gb_param *rows, size_t count, const char *name);

/* The threads that a variant uses at a point; 0 on a device. */
int gb_threads_of(const struct gb_benchmark *benchmark, const struct gb_variant *variant,
		  const void *params);

#endif
