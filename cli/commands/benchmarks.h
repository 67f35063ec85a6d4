/* benchmarks.h -- commands that take all benchmarks, or those that their words name. */
#ifndef GPUBENCH_CLI_COMMANDS_BENCHMARKS_H
#define GPUBENCH_CLI_COMMANDS_BENCHMARKS_H

#include "cli/measuring/request.h"

/* GB_EUSAGE if --threads of the request is malformed. */
enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err);

/* GB_EUSAGE if a word is not the name of a benchmark, or for --threads. */
enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err);

/* GB_EUSAGE if one of the words is not the name of a benchmark. */
enum gb_status gb_check_words(const char *const *word, size_t count, struct gb_error *err);

/* Whether the words (none: all) name the workload. */
bool gb_is_among(const struct gb_workload *workload, const char *const *word, size_t count);
/* Those of the request. */
bool gb_named(const struct gb_request *request, const struct gb_workload *workload);

#endif
