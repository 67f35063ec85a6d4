/* versus.c -- `gpubench versus FILE...`: the records of several machines side by side. */
#include "cli/reports/versus/versus.h"

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/commands/inputs.h"
#include "cli/reports/versus/print.h"
#include "common/text.h"

static const char *const formats[] = { "table", "markdown", "html", "csv", "json", NULL };
static const char *const shows[] = { "time", "rate", NULL };
_Static_assert(GB_COUNT(formats) == GB_FORMAT_JSON + 2, "a word for each enum gb_format");
_Static_assert(GB_COUNT(shows) == GB_SHOW_RATE + 2, "a word for each enum gb_versus_show");

struct request {
	int64_t by, show, format;
};

static const struct gb_param rows[] = {
	{ .name = "by",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, by),
	  .initial = "machine",
	  .choices = gb_versus_bys,
	  .help = "what a column stands for; machine: the GPU, or for CPU variants the CPU" },
	{ .name = "show",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, show),
	  .initial = "time",
	  .choices = shows,
	  .help = "what cells hold; rate: items per second" },
	{ .name = "format",
	  .letter = 'f',
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, format),
	  .initial = "table",
	  .choices = formats,
	  .help = "what to print" },
};

/* A table without a speed-up is printed, too; the exit status tells. */
static enum gb_status show(const struct request *request, const struct gb_records *records,
			   struct gb_error *err)
{
	struct gb_versus versus = { .by = (enum gb_versus_by)request->by };

	if (!gb_versus_init(&versus, records, err) &&
	    !gb_versus_print(stdout, &versus, records, (enum gb_versus_show)request->show,
			     (enum gb_format)request->format, err) &&
	    versus.speed_ups == 0)
		gb_fail(err, GB_EUNDECIDED, "no measurement has a time in two columns (by %s)",
			gb_versus_bys[request->by]);
	gb_versus_release(&versus);
	return err->code;
}

enum gb_status gb_cmd_versus(int argc, char **argv, struct gb_error *err)
{
	struct request request;
	struct gb_records records = { 0 };
	struct gb_arguments a = {
		.words = "FILE...",
		.summary = "Print the records of several machines (or commits, hosts, compilers, "
			   "drivers, numbers of threads) side by side, with the speed-up over the "
			   "first one: exit status 6 if none has a time in two columns.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count == 0)
		gb_fail(err, GB_EUSAGE, "versus needs a FILE (- for standard input)");
	else if (!gb_read_files(&records, a.word, a.word_count, err))
		(void)show(&request, &records, err);
out:
	gb_records_release(&records);
	gb_arguments_release(&a);
	return err->code;
}
