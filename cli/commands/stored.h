/* stored.h -- earlier launches of base that `ab --base=FILES` reuses.
 *
 * They count only if they have the same arguments, were made in the last 24 hours, and have the
 * machine, build and settings of a new launch.  gate.h says what they are good for.
 */
#ifndef GPUBENCH_CLI_COMMANDS_STORED_H
#define GPUBENCH_CLI_COMMANDS_STORED_H

#include "cli/records/lines.h"

/* True if the run had these arguments, and after them -q and the name of its output. */
bool gb_has_words(const struct gb_run *run, char *const *word, size_t words);

/* Read the files, separated by commas.  Launches with other arguments and old ones are left out
 * with a line on standard error, and those before the newest 80. */
enum gb_status gb_stored_read(struct gb_records *stored, const char *files, char *const *word,
			      size_t words, struct gb_error *err);

/* Move the stored launches before the new ones, of which there is at least one.  Those that are
 * among the new ones are left out.  If any has another setup than the last new one, a line says so,
 * and all are left out.  `stored` is empty afterwards. */
enum gb_status gb_stored_put_before(struct gb_records *stored, const char *files,
				    struct gb_records *made, struct gb_error *err);

#endif
