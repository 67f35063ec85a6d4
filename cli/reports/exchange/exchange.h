/* exchange.h -- records and comparisons in the formats that other tools read.
 *
 * All print whole documents; errors of the stream are the caller's to look for.
 */
#ifndef GPUBENCH_CLI_REPORTS_EXCHANGE_H
#define GPUBENCH_CLI_REPORTS_EXCHANGE_H

#include <stdio.h>

#include "cli/reports/compare/compare.h"

/* What a record of the key is called: "KEY", or "KEY hot" with hot caches.  Returns text, of GB_EXCHANGE_NAME bytes. */
enum { GB_EXCHANGE_NAME = 2048 };
const char *gb_exchange_name(const char *key, bool cold, char *text);

/* JUnit's XML, as Jenkins, GitLab and GitHub's report actions read it: a suite per benchmark, a case
 * per record.  A result that is wrong is a failure, other failures and time-outs are errors. */
enum gb_status gb_junit_print_records(FILE *file, const struct gb_records *list,
				      struct gb_error *err);
/* A case per key.  Slower is a failure, failed an error; what could not be decided is skipped, with
 * the reason. */
enum gb_status gb_junit_print_comparison(FILE *file, const struct gb_comparison *comparison,
					 struct gb_error *err);

/* Workflow commands of GitHub Actions: an error for each key that is slower or failed, a warning for
 * each that could not be decided, and a notice with the sums. */
enum gb_status gb_github_print_comparison(FILE *file, const struct gb_comparison *comparison,
					  struct gb_error *err);

/* google/benchmark's JSON, which its tools/compare.py and Bencher's adapter cpp_google read: a repetition per launch, whose time is
 * that of its median, in ns.  A record that failed has error_occurred; others without a
 * verified time are left out. */
enum gb_status gb_google_print_records(FILE *file, const struct gb_records *list,
				       struct gb_error *err);

#endif
