/* ab_side.h -- one of the two builds that `ab` launches in turn, and the records of its launches.
 *
 * Each launch is kept as it ends, in one write to a file of JSON lines, so that a kill costs no
 * more than the launch under way; of one that was cut off while it was written nothing is kept.
 */
#ifndef GPUBENCH_CLI_COMMANDS_AB_SIDE_H
#define GPUBENCH_CLI_COMMANDS_AB_SIDE_H

#include <stdint.h>

#include "cli/records/output.h"

/* Start with { 0 }. */
struct gb_side {
	char name[64];
	const char *program;
	struct gb_records records;
	int64_t launches; /* that the records are of */
	struct gb_output output;
	char *path; /* of the output; NULL: none */
};

/* "old=./gpubench" */
enum gb_status gb_side_read(struct gb_side *side, const char *word, struct gb_error *err);

/* The file PREFIX.NAME.jsonl, before anything is launched; GB_RESUME: with the launches that it
 * holds.  prefix: NULL for none. */
enum gb_status gb_side_open(struct gb_side *side, const char *prefix, enum gb_existing existing,
			    struct gb_error *err);

/* One more launch, with these words.  GB_EUSAGE if the program refuses them, if it did not measure
 * exactly once, or if the launches that were resumed are of another setup or of other words. */
enum gb_status gb_side_launch(struct gb_side *side, char *const *word, size_t count,
			      struct gb_error *err);

void gb_side_release(struct gb_side *side, struct gb_error *err);

#endif
