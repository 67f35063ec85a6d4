/* repetitions.c -- starts the repetitions of --repetitions=N, one after the other.
 *
 * The parent measures nothing; it opens and locks the output.  Each child has the same arguments.
 * GPUBENCH_LAUNCH=K:FD:FILE in its environment makes it repetition K: it appends to the parent's
 * descriptor FD of FILE, a file of JSON lines, the measurements that FILE does not yet hold K + 1
 * times.  --repetitions therefore works with --resume and --shard, and a killed parent loses
 * nothing.  If the output is not a file of JSON lines, a temporary one is used.
 */
#include "cli/measure/repetitions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/measure/interrupt.h"
#include "cli/measure/session.h"
#include "common/process.h"

#define VARIABLE "GPUBENCH_LAUNCH"

/* ---- repetitions of this program ------------------------------------------------------------- */

bool gb_is_repetition(struct gb_request *request)
{
	const char *text = getenv(VARIABLE);
	long long repetition;
	int file, path = 0;

	if (!text || sscanf(text, "%lld:%d:%n", &repetition, &file, &path) != 2 ||
	    path == 0) /* the last colon is missing */
		return false;
	request->target.file = file;
	request->target.path = text + path;
	request->quiet = 1;
	if (repetition > 0) {
		request->target.resume = GB_RESUME_ANY;
		request->target.overwrite = 0; /* done by the first repetition */
	}
	request->repeats.repetition = repetition;
	request->repeats.runs = 1;
	return true;
}

bool gb_wants_repetitions(const struct gb_request *request)
{
	return request->repeats.runs > 1;
}

/* The children's arguments: ours.  The caller frees them. */
static char **words_of(int argc, char **argv)
{
	static char name[] = "gpubench";
	char **word = calloc((size_t)argc + 2, sizeof *word);

	if (word) {
		word[0] = name;
		memcpy(word + 1, argv, (size_t)argc * sizeof *word);
	}
	return word;
}

/* Set the environment variable for the next child. */
static enum gb_status set_role(int64_t repetition, int file, const char *path, struct gb_error *err)
{
	char *value;

	if (asprintf(&value, "%lld:%d:%s", (long long)repetition, file, path) < 0)
		return gb_out_of_memory(err, NULL);
	if (setenv(VARIABLE, value, 1))
		gb_out_of_memory(err, NULL);
	free(value);
	return err->code;
}

/* Make all repetitions, one after the other; they append to the file of JSON lines. */
static enum gb_status launch_all(const struct gb_request *request, const char *path, int file,
				 char **word, struct gb_error *err)
{
	enum gb_status verdict = GB_OK;

	for (int64_t i = 0; i < request->repeats.runs && !gb_interrupted; i++) {
		int status;

		if (set_role(i, file, path, err) ||
		    gb_process_run("/proc/self/exe", word, file, 0, &gb_interrupted, &status, err))
			break;
		if (status > 128 && status != GB_EINTERRUPTED)
			gb_fail(err, GB_ERUNTIME, "repetition %lld was ended by signal %d",
				(long long)i + 1, status - 128);
		verdict = gb_worse(verdict, (enum gb_status)status);
		if (status == GB_EUSAGE || status == GB_EIO || status > 128)
			break;
	}
	return verdict;
}

/* A file without a name, which vanishes with its last process.  Children inherit it and find it at
 * the same path. */
static int memory_file(char *path, size_t size, struct gb_error *err)
{
	const int file = memfd_create("gpubench", MFD_CLOEXEC);

	if (file < 0 || fcntl(file, F_SETFL, O_APPEND))
		gb_fail(err, GB_EIO, "cannot make a file in memory: %s", strerror(errno));
	(void)snprintf(path, size, "/proc/self/fd/%d", file);
	return file;
}

enum gb_status gb_repetitions(const struct gb_request *request, const struct gb_output *output,
			      int argc, char **argv, struct gb_records *records,
			      struct gb_error *err)
{
	char memory[32];
	const int file = output->to_lines ? output->file : memory_file(memory, sizeof memory, err);
	const char *path = output->to_lines ? output->path : memory;
	char **word = words_of(argc, argv);
	enum gb_status verdict = GB_OK;
	struct stat info;

	if (!word)
		gb_out_of_memory(err, NULL);
	if (!err->code)
		verdict = launch_all(request, path, file, word, err);
	(void)unsetenv(VARIABLE);
	free(word);
	/* Interrupted repetitions may have written nothing. */
	if (!err->code && verdict != GB_EUSAGE && fstat(file, &info) == 0 && info.st_size > 0)
		(void)gb_records_read(path, records, err);
	if (!output->to_lines && file >= 0)
		(void)close(file);
	return err->code ? err->code : verdict;
}
