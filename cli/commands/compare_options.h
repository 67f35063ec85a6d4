/* compare_options.h -- the options that `compare` and `ab` share. */
#ifndef GPUBENCH_CLI_COMMANDS_COMPARE_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_COMPARE_OPTIONS_H

#include "cli/reports/compare/compare.h"
#include "common/workload.h"

struct gb_compare_options {
	double error_percent, threshold_percent, floor_ns;
	int64_t format; /* index into gb_compare_formats */
	int64_t cycles, all, unverified, counts, allow_missing, across;
	const char *max_unsure;
	double growth_percent;
};

extern const char *const gb_compare_formats[];

/* Rows for a struct whose first member is a struct gb_compare_options. */
#define GB_COMPARE_ROWS                                                                      \
	{ .name = "error",                                                                   \
	  .type = GB_FLOAT,                                                                  \
	  .offset = offsetof(struct gb_compare_options, error_percent),                      \
	  .initial = "5",                                                                    \
	  .low = 1e-6,                                                                       \
	  .high = 50,                                                                        \
	  .unit = "percent",                                                                 \
	  .help = "chance, at most, that any key of an unchanged build is called slower" },  \
		{ .name = "threshold",                                                       \
		  .type = GB_FLOAT,                                                          \
		  .offset = offsetof(struct gb_compare_options, threshold_percent),          \
		  .initial = "5",                                                            \
		  .low = 0,                                                                  \
		  .high = 1000,                                                              \
		  .unit = "percent",                                                         \
		  .help = "ignore changes smaller than X percent" },                         \
		{ .name = "floor",                                                           \
		  .type = GB_FLOAT,                                                          \
		  .offset = offsetof(struct gb_compare_options, floor_ns),                   \
		  .initial = "100",                                                          \
		  .low = 0,                                                                  \
		  .high = 1e12,                                                              \
		  .unit = "ns",                                                              \
		  .help = "ignore differences smaller than X nanoseconds" },                 \
		{ .name = "cycles",                                                          \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, cycles),                     \
		  .help = "compare SM clock cycles, not times, where they were recorded" },  \
		{ .name = "all",                                                             \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, all),                        \
		  .help = "also print the keys that did not change" },                       \
		{ .name = "unverified",                                                      \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, unverified),                 \
		  .help = "also compare records made with --no-verify" },                    \
		{ .name = "allow-missing",                                                   \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, allow_missing),              \
		  .help = "exit status 0 even if new lacks a key of base" },                 \
		{ .name = "max-unsure",                                                      \
		  .type = GB_PATH,                                                           \
		  .offset = offsetof(struct gb_compare_options, max_unsure),                 \
		  .unit = "N|P%",                                                            \
		  .help = "exit status 6 if more keys than this [0], or all, are unsure" },  \
		{ .name = "across",                                                          \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, across),                     \
		  .help = "compare the sides even if their cache mode, CPU or GPU differ" }, \
		{ .name = "counts",                                                          \
		  .type = GB_FLAG,                                                           \
		  .offset = offsetof(struct gb_compare_options, counts),                     \
		  .help = "also exit with status 1 if an exact count became worse" },        \
		{ .name = "counts-growth",                                                   \
		  .type = GB_FLOAT,                                                          \
		  .offset = offsetof(struct gb_compare_options, growth_percent),             \
		  .initial = "0",                                                            \
		  .low = 0,                                                                  \
		  .high = 1000,                                                              \
		  .unit = "percent",                                                         \
		  .help = "above 0, only a kernel's instructions, sectors and wavefronts "   \
			  "count as worse, if they grew by more than X percent" },           \
		GB_FORMAT_ROW(offsetof(struct gb_compare_options, format), gb_compare_formats)

/* Set up a comparison from the options.  GB_EUSAGE for a bad --max-unsure. */
enum gb_status gb_compare_init(struct gb_comparison *comparison,
			       const struct gb_compare_options *options, struct gb_error *err);

/* Compare, print to standard output, and return the exit status (gb_comparison_status()).
 * GB_EUSAGE if the setups of the two sides differ and --across was not given; the message has the
 * names of the sides. */
enum gb_status gb_compare_and_print(const struct gb_compare_options *options,
				    struct gb_comparison *comparison, const struct gb_records *base,
				    const char *base_name, const struct gb_records *other,
				    const char *other_name, struct gb_error *err);

#endif
