/* compare.h -- the options and the comparison that `compare` and `ab` share. */
#ifndef GPUBENCH_CLI_COMMANDS_COMPARE_H
#define GPUBENCH_CLI_COMMANDS_COMPARE_H

#include "cli/report/compare/compare_records.h"
#include "common/benchmark.h"

struct gb_compare_options {
	double threshold_percent;
	int64_t format; /* index into gb_compare_formats */
	int64_t all, allow_missing, across;
};

extern const char *const gb_compare_formats[];

/* Rows for a struct whose first member is a struct gb_compare_options. */
#define GB_COMPARE_AT(type, member) GB_AT(type, struct gb_compare_options, member)
#define GB_COMPARE_ROWS                                                                      \
	{ .name = "threshold",                                                               \
	  GB_COMPARE_AT(GB_FLOAT, threshold_percent),                                        \
	  .initial = "5",                                                                    \
	  .high = 1000,                                                                      \
	  .unit = "percent",                                                                 \
	  .help = "ignore changes smaller than X percent" },                                 \
		{ .name = "all",                                                             \
		  GB_COMPARE_AT(GB_FLAG, all),                                               \
		  .help = "also judge and print the keys that did not change" },             \
		{ .name = "allow-missing",                                                   \
		  GB_COMPARE_AT(GB_FLAG, allow_missing),                                     \
		  .help = "exit status 0 even if new lacks a key of base" },                 \
		{ .name = "across",                                                          \
		  GB_COMPARE_AT(GB_FLAG, across),                                            \
		  .help = "compare the sides even if their cache mode, CPU or GPU differ" }, \
		GB_FORMAT_ROW(offsetof(struct gb_compare_options, format), gb_compare_formats)

/* Set up a comparison from the options, with the first `looks` looks (struct gb_gate). */
void gb_compare_init(struct gb_comparison *comparison, const struct gb_compare_options *options,
		     size_t looks);

/* Compare, print to standard output, and return the exit status (gb_comparison_status()).
 * GB_EUSAGE if the setups of the two sides differ and --across was not given; the message has the
 * names of the sides. */
enum gb_status gb_compare_and_print(const struct gb_compare_options *options, size_t looks,
				    const struct gb_records *base, const char *base_name,
				    const struct gb_records *other, const char *other_name,
				    struct gb_error *err);

#endif
