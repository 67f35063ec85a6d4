/* setup.h -- what the runs of one record file have in common: machine, build, device, caches. */
#ifndef GPUBENCH_CLI_RECORDS_SETUP_H
#define GPUBENCH_CLI_RECORDS_SETUP_H

#include "cli/records/lines.h"

/* GB_EUSAGE, with the first difference, if a run of the records (of the file `path`) was made in
 * another setup than the run line `now`: their times are not to be mixed by accident.  The message
 * ends in the hint. */
enum gb_status gb_setup_check(const struct gb_records *records, const char *path, const cJSON *now,
			      const char *hint, struct gb_error *err);

/* The GPU that the run of this line used; NULL if there was none. */
const cJSON *gb_setup_gpu(const cJSON *run);

/* What the record's back end ran on: the GPU's name, or the CPU's model for cpu variants; NULL:
 * unknown. */
const char *gb_setup_machine(const cJSON *record, const cJSON *run);

/* Whether the record is of cold caches; if it does not tell, as its run, which may be NULL, had them;
 * if that does not tell either, it is. */
bool gb_setup_is_cold(const cJSON *record, const cJSON *run);

/* A member of a line in a few words, "none" if it is NULL.  Returns text. */
const char *gb_setup_words(const cJSON *item, char *text, size_t size);

#endif
