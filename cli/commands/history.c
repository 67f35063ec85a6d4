/* history.c -- `gpubench history FOLDER... [KEY-GLOB...]`: prints the trend of stored records and
 * reports if the newest level of a key is slower than the one before it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/reports/history/folder.h"
#include "cli/reports/history/print.h"
#include "common/text.h"

enum { MOST_LEFT_OUT = 5 }; /* most files named on standard error */

static const char *const orders[] = { "date", "commit", NULL }; /* enum gb_order */

struct request {
	int64_t order, format;
	double error_percent, threshold_percent;
};

static const struct gb_param rows[] = {
	{ .name = "order",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, order),
	  .initial = "date",
	  .choices = orders,
	  .help = "sort by the date of the run or of the commit it was built from" },
	{ .name = "error",
	  .type = GB_FLOAT,
	  .offset = offsetof(struct request, error_percent),
	  .initial = "5",
	  .low = 1e-6,
	  .high = 50,
	  .unit = "percent",
	  .help = "chance, at most, that any series without a shift is called slower" },
	{ .name = "threshold",
	  .type = GB_FLOAT,
	  .offset = offsetof(struct request, threshold_percent),
	  .initial = "5",
	  .low = 0,
	  .high = 1000,
	  .unit = "percent",
	  .help = "ignore slowdowns smaller than X percent" },
	GB_FORMAT_ROW(offsetof(struct request, format), gb_formats),
};

static void tell(const char *folder, const char *text, const char *more)
{
	(void)fputs("gpubench: ", stderr);
	gb_text_print(stderr, folder);
	(void)fputs(*folder && folder[strlen(folder) - 1] != '/' ? "/" : "", stderr);
	gb_text_print(stderr, text);
	gb_text_print(stderr, more);
	(void)fputc('\n', stderr);
}

/* Report unreadable and truncated files on standard error. */
static void tell_faults(const struct gb_store *store, const char *folder)
{
	size_t told = 0, more = 0;
	char text[80];

	for (size_t i = 0; i < store->files; i++) {
		const struct gb_stored_file *file = &store->file[i];

		if (!file->fault && !file->truncated)
			continue;
		if (told++ >= MOST_LEFT_OUT)
			more++;
		else if (file->fault)
			tell("", file->fault, " (the file is skipped)");
		else
			tell(folder, file->path,
			     ": the last line is incomplete (its writer was killed?); ignored");
	}
	if (!more)
		return;
	(void)snprintf(text, sizeof text, "%zu more files were skipped or read only in part", more);
	tell("", text, "");
}

static bool is_folder(const char *word)
{
	struct stat info;

	return !stat(word, &info) && S_ISDIR(info.st_mode);
}

static enum gb_status show(const struct request *request, const char *const *word, size_t words,
			   struct gb_error *err)
{
	size_t folders = 1;
	struct gb_history history = {
		.order = (enum gb_order)request->order,
		.threshold = request->threshold_percent / 100,
		.error = request->error_percent / 100,
		.rule = gb_shift_rule,
	};
	struct gb_store store = { 0 };
	enum gb_status status = GB_OK;
	char why[GB_HISTORY_WHY];

	while (folders < words && is_folder(word[folders]))
		folders++;
	history.glob = word + folders;
	history.globs = words - folders;
	if (!gb_folders_read(&store, word, folders, err)) {
		tell_faults(&store, folders > 1 ? "" : word[0]);
		if (!gb_history_judge(&history, &store, err)) {
			(void)gb_history_print(stdout, &history, (enum gb_format)request->format,
					       err);
			status = gb_history_status(&history, why);
		}
	}
	gb_history_release(&history);
	gb_store_release(&store);
	return err->code ? err->code : status;
}

enum gb_status gb_cmd_history(int argc, char **argv, struct gb_error *err)
{
	struct request request;
	enum gb_status status = GB_OK;
	struct gb_arguments a = {
		.words = "FOLDER... [KEY-GLOB...]",
		.summary =
			"Print how the times in a folder of record files changed, and where their "
			"level shifted: exit status 1 if a newest level is slower than the one "
			"before it, 6 if there are too few launches.  With several folders, one "
			"per "
			"branch, each holds later launches than the one before it.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count == 0)
		gb_fail(err, GB_EUSAGE, "history needs a FOLDER of record files");
	else
		status = show(&request, a.word, a.word_count, err);
out:
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
