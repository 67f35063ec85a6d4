/* versus.c -- `gpubench versus FILE...`: prints the records of several machines side by side. */
#include "cli/reports/versus/versus.h"

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/commands/inputs.h"
#include "cli/reports/pooled.h"
#include "cli/reports/versus/peers.h"
#include "cli/reports/versus/print.h"
#include "common/text.h"

/* The words of enum gb_versus_by, in its order, then "peer". */
static const char *const bys[] = { "machine", "commit",  "host", "compiler",
				   "driver",  "threads", "peer", NULL };
static const char *const shows[] = { "time", "rate", NULL };
_Static_assert(GB_COUNT(bys) == GB_BYS + 2, "a word for each enum gb_versus_by, and peer");
_Static_assert(GB_COUNT(shows) == GB_SHOW_RATE + 2, "a word for each enum gb_versus_show");

struct request {
	int64_t by, show, format;
};

static const struct gb_param rows[] = {
	{ .name = "by",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, by),
	  .initial = "machine",
	  .choices = bys,
	  .help = "make a column for each value of this; machine means the GPU, or the CPU of cpu "
		  "variants; peer lists the points where a library is faster than all our "
		  "variants" },
	{ .name = "show",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct request, show),
	  .initial = "time",
	  .choices = shows,
	  .help = "content of the cells; rate is in items per second" },
	GB_FORMAT_ROW(offsetof(struct request, format), gb_formats),
};

static enum gb_status show_peers(const struct request *request, struct gb_records *records,
				 struct gb_error *err)
{
	if (request->show != GB_SHOW_TIME)
		return gb_fail(err, GB_EUSAGE, "--by=peer prints times: it cannot --show=%s",
			       shows[request->show]);
	if (!gb_pool_launches(records, err))
		(void)gb_peers_print(stdout, records, (enum gb_format)request->format, err);
	return err->code;
}

/* Print the table, even without a speed-up; the exit status is then GB_EUNDECIDED. */
static enum gb_status show(const struct request *request, struct gb_records *records,
			   struct gb_error *err)
{
	struct gb_versus versus = { .by = (enum gb_versus_by)request->by };

	if (request->by == GB_BYS)
		return show_peers(request, records, err);
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
			   "first one, or where libraries are faster: exit status 6 if none has a "
			   "time in two columns.",
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
