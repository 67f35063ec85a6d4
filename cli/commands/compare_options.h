/* compare_options.h -- the options that `compare` and `ab` share. */
#ifndef GPUBENCH_CLI_COMMANDS_COMPARE_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_COMPARE_OPTIONS_H

#include "cli/records/lines.h"
#include "common/workload.h"

struct gb_compare_options {
	double threshold_percent, floor_ns;
	int64_t stat;   /* 0: min, 1: median */
	int64_t format; /* index into gb_compare_formats */
	int64_t cycles, all, unverified, counts;
};

extern const char *const gb_compare_stats[], *const gb_compare_formats[];

/* Rows over a struct whose first member is a struct gb_compare_options. */
#define GB_COMPARE_ROWS                                                                    \
	{ .name = "threshold",                                                             \
	  .type = GB_FLOAT,                                                                \
	  .offset = offsetof(struct gb_compare_options, threshold_percent),                \
	  .initial = "5",                                                                  \
	  .low = 0,                                                                        \
	  .high = 1000,                                                                    \
	  .unit = "percent",                                                               \
	  .help = "smaller changes are none" },                                            \
		{ .name = "floor",                                                         \
		  .type = GB_FLOAT,                                                        \
		  .offset = offsetof(struct gb_compare_options, floor_ns),                 \
		  .initial = "100",                                                        \
		  .low = 0,                                                                \
		  .high = 1e12,                                                            \
		  .unit = "ns",                                                            \
		  .help = "nor are smaller differences" },                                 \
		{ .name = "stat",                                                          \
		  .type = GB_CHOICE,                                                       \
		  .offset = offsetof(struct gb_compare_options, stat),                     \
		  .initial = "min",                                                        \
		  .choices = gb_compare_stats,                                             \
		  .help = "what stands for the samples of a launch" },                     \
		{ .name = "cycles",                                                        \
		  .type = GB_FLAG,                                                         \
		  .offset = offsetof(struct gb_compare_options, cycles),                   \
		  .help = "compare cycles of the SM clock where it was recorded" },        \
		{ .name = "all",                                                           \
		  .type = GB_FLAG,                                                         \
		  .offset = offsetof(struct gb_compare_options, all),                      \
		  .help = "print the keys that stayed the same, too" },                    \
		{ .name = "unverified",                                                    \
		  .type = GB_FLAG,                                                         \
		  .offset = offsetof(struct gb_compare_options, unverified),               \
		  .help = "compare also what was measured with --no-verify" },             \
		{ .name = "counts",                                                        \
		  .type = GB_FLAG,                                                         \
		  .offset = offsetof(struct gb_compare_options, counts),                   \
		  .help = "exit status 1 also if an exact count became worse" },           \
	{                                                                                  \
		.name = "format", .letter = 'f', .type = GB_CHOICE,                        \
		.offset = offsetof(struct gb_compare_options, format), .initial = "table", \
		.choices = gb_compare_formats, .help = "what to print"                     \
	}

/* GB_EUSAGE if one of the records, which are called `name`, was not verified, and that was not asked
 * for. */
enum gb_status gb_compare_check(const struct gb_compare_options *options,
				const struct gb_records *records, const char *name,
				struct gb_error *err);

/* Compare, print on standard output, and return the exit status: GB_EVERIFY if something is slower
 * or failed.  An error is in err. */
enum gb_status gb_compare_and_print(const struct gb_compare_options *options,
				    const struct gb_records *base, const struct gb_records *other,
				    struct gb_error *err);

#endif
