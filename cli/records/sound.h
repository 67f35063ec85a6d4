/* sound.h -- contradictions within a record, for which it is refused. */
#ifndef GPUBENCH_CLI_RECORDS_SOUND_H
#define GPUBENCH_CLI_RECORDS_SOUND_H

#include "cli/records/record.h"

/* NULL, or what is wrong: a result that may not be believed has no time; the status agrees with the
 * verification, the run and the samples; and "peer" with the variant of that name in this
 * program. */
const char *gb_record_contradiction(const struct gb_record *record);

#endif
