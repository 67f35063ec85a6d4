/* stored.c -- see stored.h. */
#include "cli/commands/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands/inputs.h"
#include "cli/records/output.h"
#include "cli/reports/history/store.h"
#include "common/text.h"

enum { MOST = 80 };
static const double DAY_S = 24 * 3600;

bool gb_has_words(const struct gb_run *run, char *const *word, size_t words)
{
	if (run->argv.count != words + 2)
		return false;
	for (size_t i = 0; i < words; i++)
		if (!gb_equal(run->argv.text[i], word[i]))
			return false;
	return true;
}

static enum gb_status read_all(struct gb_records *stored, const char *files, struct gb_error *err)
{
	char *text = strdup(files), *rest = text;
	const char *file;

	if (!text)
		return gb_out_of_memory(err, NULL);
	while (!err->code && (file = strsep(&rest, ",")) != NULL) {
		if (*file)
			(void)gb_read_files(stored, &file, 1, err);
		else
			gb_fail(err, GB_EUSAGE, "--base: expects files, separated by commas");
	}
	free(text);
	return err->code;
}

static bool is_of_today(const struct gb_run *run)
{
	const int64_t started = gb_date_parse(run->started);

	return started != GB_NO_DATE && fabs(difftime(time(NULL), (time_t)started)) <= DAY_S;
}

enum gb_status gb_stored_read(struct gb_records *stored, const char *files, char *const *word,
			      size_t words, struct gb_error *err)
{
	size_t read, others = 0, old = 0;

	if (read_all(stored, files, err))
		return err->code;
	read = stored->run_count;
	for (size_t i = read; i-- > 0;) {
		const bool other = !gb_has_words(stored->run[i], word, words);
		const bool is_old = !other && !is_of_today(stored->run[i]);

		others += other;
		old += is_old;
		if (other || is_old)
			gb_records_remove_run(stored, i);
	}
	if (others || old)
		(void)fprintf(stderr,
			      "gpubench: --base: of %zu launches, %zu have other arguments and %zu "
			      "are not of the last 24 hours; they are left out\n",
			      read, others, old);
	while (stored->run_count > MOST)
		gb_records_remove_run(stored, 0);
	for (size_t i = stored->count; i-- > 0;)
		if (stored->record[i]->run == gb_no_run)
			gb_records_remove(stored, i);
	return GB_OK;
}

static bool has_run(const struct gb_records *list, const struct gb_run *run)
{
	for (size_t i = 0; i < list->run_count; i++)
		if (gb_equal(list->run[i]->run_id, run->run_id))
			return true;
	return false;
}

enum gb_status gb_stored_put_before(struct gb_records *stored, const char *files,
				    struct gb_records *made, struct gb_error *err)
{
	struct gb_error why = { 0 };

	if (gb_resume_check("--base", stored, files, made->run[made->run_count - 1],
			    "; its launches are left out", &why)) {
		(void)fprintf(stderr, "gpubench: %s\n", why.message);
		gb_records_release(stored);
		return GB_OK;
	}
	for (size_t i = stored->run_count; i-- > 0;) {
		stored->run[i]->stored = true;
		if (has_run(made, stored->run[i]))
			gb_records_remove_run(stored, i);
	}
	if (gb_records_move(stored, made, err))
		return err->code;
	gb_records_release(made);
	*made = *stored;
	*stored = (struct gb_records){ 0 };
	return GB_OK;
}
