#include "cli/commands/ab_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measuring/launches.h"
#include "common/text.h"

enum gb_status gb_side_read(struct gb_side *side, const char *word, struct gb_error *err)
{
	const size_t length = strcspn(word, "=");

	if (length == 0 || length >= sizeof side->name || !word[length] || !word[length + 1] ||
	    memchr(word, '/', length))
		return gb_fail(err, GB_EUSAGE, "'%.80s' is not NAME=PROGRAM", word);
	memcpy(side->name, word, length);
	side->program = word + length + 1;
	if (access(side->program, X_OK))
		return gb_fail(err, GB_EUSAGE, "%s: %.200s is not a program that can be run",
			       side->name, side->program);
	return GB_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

/* The last launch was cut off: it will be made again. */
static void drop_last_launch(struct gb_side *side)
{
	if (side->records.run_count)
		gb_records_remove_run(&side->records, side->records.run_count - 1);
	side->output.keep_bytes = side->records.last_run_bytes;
}

enum gb_status gb_side_open(struct gb_side *side, const char *prefix, enum gb_existing existing,
			    struct gb_error *err)
{
	if (!prefix)
		return GB_OK;
	if (asprintf(&side->path, "%s.%s.jsonl", prefix, side->name) < 0) {
		side->path = NULL;
		return gb_out_of_memory(err, NULL);
	}
	if (gb_output_open(&side->output, side->path, existing, err) || existing != GB_RESUME ||
	    gb_output_past(&side->output, &side->records, err))
		return err->code;
	if (side->output.cut)
		drop_last_launch(side);
	side->launches = (int64_t)side->records.run_count;
	return GB_OK;
}

/* Whether two runs had the same words; not the last one, which names the output. */
static bool has_same_words(const struct gb_run *a, const struct gb_run *b)
{
	if (a->argv.count != b->argv.count)
		return false;
	for (size_t i = 0; i + 1 < a->argv.count; i++)
		if (!gb_equal(a->argv.text[i], b->argv.text[i]))
			return false;
	return true;
}

/* Launches of one side are to be alike. */
static enum gb_status check_launch(const struct gb_side *side, const struct gb_records *launch,
				   struct gb_error *err)
{
	const struct gb_records *before = &side->records;

	if (launch->run_count != 1)
		return gb_fail(err, GB_EUSAGE,
			       "%s: one launch made %zu runs: --runs is no word for ab (see "
			       "--launches)",
			       side->name, launch->run_count);
	if (side->output.existing != GB_RESUME || before->run_count == 0)
		return GB_OK;
	if (!has_same_words(before->run[0], launch->run[0]))
		return gb_fail(err, GB_EUSAGE, "--resume: %s has launches with other arguments",
			       side->path);
	return gb_resume_check(before, side->path, launch->run[0], "", err);
}

/* ---- launching ---------------------------------------------------------------------------- */

/* Keep the lines of a launch; they are the side's from now on. */
static enum gb_status take_launch(struct gb_side *side, struct gb_records *launch,
				  struct gb_error *err)
{
	if (gb_output_put_all(&side->output, launch, err))
		return err->code;
	side->launches++;
	return gb_records_move(&side->records, launch, err);
}

static enum gb_status read_launch(struct gb_side *side, int status, const char *file,
				  struct gb_error *err)
{
	struct gb_records launch = { 0 };

	if (status == GB_EINTERRUPTED)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (status > 128)
		return gb_fail(err, GB_ERUNTIME, "%s: ended by signal %d", side->name,
			       status - 128);
	if (status > GB_ERUNTIME || status == GB_EUSAGE)
		return gb_fail(err, status == GB_EIO ? GB_EIO : GB_EUSAGE, "%s: exit status %d",
			       side->name, status);
	if (!gb_records_read(file, &launch, err) && !check_launch(side, &launch, err))
		(void)take_launch(side, &launch, err);
	gb_records_release(&launch);
	return err->code;
}

/* The records come through a temporary file. */
enum gb_status gb_side_launch(struct gb_side *side, char *const *word, size_t count,
			      struct gb_error *err)
{
	char *file, *output = NULL, quiet[] = "-q", name[] = "gpubench";
	char **argv = calloc(count + 4, sizeof *argv);
	const int descriptor = gb_temporary(&file, err);
	int status = 0;

	if (descriptor < 0)
		goto out;
	(void)close(descriptor);
	if (!argv || asprintf(&output, "--output=%s", file) < 0) {
		output = NULL;
		gb_out_of_memory(err, NULL);
		goto out;
	}
	argv[0] = name;
	memcpy(argv + 1, word, count * sizeof *argv);
	argv[count + 1] = quiet;
	argv[count + 2] = output;
	if (!gb_launch(side->program, argv, 0, &status, err))
		(void)read_launch(side, status, file, err);
out:
	if (descriptor >= 0)
		(void)remove(file);
	free(file);
	free(output);
	free(argv);
	return err->code;
}

void gb_side_release(struct gb_side *side, struct gb_error *err)
{
	(void)gb_output_close(&side->output, false, err);
	gb_records_release(&side->records);
	free(side->path);
}
