/* formats.h -- prints a comparison in the formats of other tools.
 *
 * Each function prints a whole document.  The caller checks the stream for errors.
 */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_FORMATS_H
#define GPUBENCH_CLI_REPORT_COMPARE_FORMATS_H

#include <stdio.h>

#include "cli/report/compare/compare_records.h"

/* JUnit XML, as read by Jenkins, GitLab and report actions of GitHub: a suite per benchmark, a case
 * per key.  Slower is a failure, failed is an error, undecided is skipped with the reason. */
enum gb_status gb_junit_print(FILE *file, const struct gb_comparison *comparison,
			      struct gb_error *err);

/* Workflow commands of GitHub Actions: an error for each key that is slower or failed, a warning
 * for each undecided key, and a notice with the totals. */
enum gb_status gb_github_print(FILE *file, const struct gb_comparison *comparison,
			       struct gb_error *err);

#endif
