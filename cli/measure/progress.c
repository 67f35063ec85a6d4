/* progress.c -- prints progress to standard error. */
#include "cli/measure/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/records/key.h"
#include "common/text.h"
#include "common/timer.h"

void gb_progress_init(struct gb_progress *progress, const struct gb_request *request)
{
	*progress = (struct gb_progress){ .shown = !request->quiet && isatty(STDERR_FILENO),
					  .verbose = request->verbose != 0,
					  .started_ns = gb_now_ns() };
}

/* ", 12 min left", from the mean so far; "" until three measurements are done. */
static const char *time_left(const struct gb_progress *p, char *text, size_t size)
{
	const double elapsed_s = (gb_now_ns() - p->started_ns) * 1e-9;
	char left[GB_TEXT_MAX];

	text[0] = '\0';
	if (p->done >= 3)
		(void)snprintf(text, size, ", %s left",
			       gb_text_wait(left, elapsed_s / (double)p->done *
							  (double)(p->total - p->done)));
	return text;
}

/* Print at most 79 columns: "3/10, 12 s left, radix/cpu/best count=1000000" */
void gb_progress_begin(const struct gb_progress *p, const struct gb_result *result)
{
	char left[32], line[80];
	struct gb_error ignored = { 0 };
	char *key;

	if (!p->shown)
		return;
	key = gb_record_key(result->benchmark, result->variant, result->params, &ignored);
	(void)snprintf(line, sizeof line, "%zu/%zu%s, %s", p->done + 1, p->total,
		       time_left(p, left, sizeof left), key ? key : "");
	(void)fputs("\r\033[K", stderr);
	gb_text_print(stderr, line);
	free(key);
}

void gb_progress_end(struct gb_progress *progress, const struct gb_result *r)
{
	const struct gb_record *record = &r->record;
	char *line = NULL;

	progress->done++;
	if (!progress->verbose)
		return;
	gb_progress_hide(progress);
	if (asprintf(&line, "%s: %s%s%s%s (%zu samples, %.2f s)", record->key,
		     record->status == GB_STATUS_FAILED ? "FAILED, " : "",
		     gb_status_word(record->status), record->reason ? ": " : "",
		     record->reason ? record->reason : "", record->time.count, r->elapsed_s) < 0)
		line = NULL;
	gb_text_print(stderr, line ? line : "?");
	(void)fputc('\n', stderr);
	free(line);
}

void gb_progress_hide(const struct gb_progress *progress)
{
	if (progress->shown)
		(void)fputs("\r\033[K", stderr);
}
