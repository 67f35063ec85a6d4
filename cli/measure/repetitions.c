/* repetitions.c -- starts the repetitions of --repetitions=N and of several devices.
 *
 * The parent measures nothing; it opens and locks the output.  Each child has the same arguments.
 * GPUBENCH_LAUNCH=K:D:S:FD:FILE in its environment makes it launch K on device D: it appends to the
 * parent's descriptor FD of FILE, a file of JSON lines, the measurements that FILE does not yet
 * hold K + 1 times.  --repetitions therefore works with --resume and --shard, and a killed parent
 * loses nothing.  If the output is not a file of JSON lines, a temporary one is used.
 *
 * --device=all or a list starts one child per device, all at the same time, with K = -1.  With --repetitions such a
 * child is the parent of the repetitions on its device.  S is 1 in both: other devices write to the
 * same file, and a child ignores their records.
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
#include "cli/records/machine.h"
#include "common/backend.h"
#include "common/process.h"

#define VARIABLE "GPUBENCH_LAUNCH"

/* ---- repetitions of this program ------------------------------------------------------------- */

bool gb_is_repetition(struct gb_request *request)
{
	const char *text = getenv(VARIABLE);
	long long repetition, device;
	int shared, file, path = 0;

	if (!text ||
	    sscanf(text, "%lld:%lld:%d:%d:%n", &repetition, &device, &shared, &file, &path) != 4 ||
	    path == 0) /* the last colon is missing */
		return false;
	request->target.file = file;
	request->target.path = text + path;
	request->quiet = 1;
	request->how.device = device;
	request->repeats.devices = 0;
	request->target.shared = shared != 0;
	if (repetition != 0) {
		request->target.resume =
			request->target.resume || repetition > 0 ? GB_RESUME_ANY : GB_RESUME_NOT;
		request->target.overwrite = 0; /* done by the first repetition or the parent */
	}
	if (repetition < 0)
		return false;
	request->repeats.repetition = repetition;
	request->repeats.runs = 1;
	return true;
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
static enum gb_status set_role(int64_t repetition, int64_t device, bool shared, int file,
			       const char *path, struct gb_error *err)
{
	const size_t size = strlen(path) + 96;
	char *value = malloc(size);

	if (value)
		(void)snprintf(value, size, "%lld:%lld:%d:%d:%s", (long long)repetition,
			       (long long)device, shared, file, path);
	if (!value || setenv(VARIABLE, value, 1))
		gb_out_of_memory(err, NULL);
	free(value);
	return err->code;
}

/* Return the worse of the two statuses.  Sets err if a signal ended the child. */
static enum gb_status judge(enum gb_status verdict, int status, const char *what, int64_t number,
			    struct gb_error *err)
{
	if (status > 128 && status != GB_EINTERRUPTED)
		gb_fail(err, GB_ERUNTIME, "%s %lld was ended by signal %d", what, (long long)number,
			status - 128);
	return gb_worse(verdict, (enum gb_status)status);
}

/* Make all repetitions, one after the other; they append to the file of JSON lines. */
static enum gb_status launch_all(const struct gb_request *request, const char *path, int file,
				 char **word, struct gb_error *err)
{
	enum gb_status verdict = GB_OK;

	for (int64_t i = 0; i < request->repeats.runs && !gb_interrupted; i++) {
		int status;

		if (set_role(i, request->how.device, request->target.shared, file, path, err) ||
		    gb_process_run("/proc/self/exe", word, file, 0, &gb_interrupted, &status, err))
			break;
		verdict = judge(verdict, status, "repetition", i + 1, err);
		if (status == GB_EUSAGE || status == GB_EIO || status > 128)
			break;
	}
	return verdict;
}

/* Start one child per device whose bit is set, all at once, and wait for them. */
static enum gb_status launch_devices(uint64_t devices, const char *path, int file, char **word,
				     struct gb_error *err)
{
	pid_t child[GB_MAX_GPUS] = { 0 };
	int64_t number[GB_MAX_GPUS];
	enum gb_status verdict = GB_OK;
	sigset_t set, mask;
	size_t started = 0;

	gb_process_block(&set, &mask);
	for (int64_t i = 0; i < GB_MAX_GPUS && !err->code; i++) {
		if (!(devices >> i & 1) || set_role(-1, i, true, file, path, err) ||
		    gb_process_start("/proc/self/exe", word, file, 0, &mask, &child[started], err))
			continue;
		number[started++] = i;
	}
	for (size_t i = 0; i < started; i++)
		verdict = judge(verdict,
				gb_process_wait(child + i, started - i, &set, &gb_interrupted),
				"the run on GPU", number[i], err);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	return verdict;
}

/* Find the devices to launch on; GB_EUNAVAILABLE if there are none or too many. */
static enum gb_status find_devices(const struct gb_request *request, uint64_t *wanted,
				   struct gb_error *err)
{
	const char *option = request->repeats.device;
	struct gb_devices devices;
	uint64_t there;

	gb_devices_find(&devices, request->choice.backends);
	for (int b = 0; b < GB_BACKENDS; b++)
		if (devices.absent[b].code && devices.count == 0)
			return gb_fail(err, GB_EUNAVAILABLE, "%s", devices.absent[b].message);
	if (devices.count == 0)
		return gb_fail(err, GB_EUNAVAILABLE, "--device=%.80s: there is no GPU", option);
	if (devices.has_more && request->repeats.devices == UINT64_MAX)
		return gb_fail(err, GB_EUNAVAILABLE, "--device=%.80s: more than %d GPUs", option,
			       GB_MAX_GPUS);
	there = (UINT64_C(1) << devices.count) - 1;
	if (request->repeats.devices != UINT64_MAX && request->repeats.devices & ~there)
		return gb_fail(err, GB_EUNAVAILABLE, "--device=%.80s: the last GPU is number %zu",
			       option, devices.count - 1);
	*wanted = request->repeats.devices & there;
	return GB_OK;
}

/* Begin the output before several processes append to it. */
static enum gb_status begin_shared(struct gb_output *output, const struct gb_request *request,
				   struct gb_error *err)
{
	struct gb_records past = { 0 };

	if (!request->target.resume || !gb_output_past(output, &past, err))
		(void)gb_output_begin(output, err);
	gb_records_release(&past);
	return err->code;
}

/* Start the repetitions of --device=all or --repetitions with the arguments of argv. */
static enum gb_status launch(const struct gb_request *request, struct gb_output *output,
			     const char *path, int file, int argc, char **argv,
			     struct gb_error *err)
{
	char **word = words_of(argc, argv);
	enum gb_status verdict = GB_OK;
	uint64_t devices = 0;

	if (!word)
		gb_out_of_memory(err, NULL);
	else if (!request->repeats.devices)
		verdict = launch_all(request, path, file, word, err);
	else if (!find_devices(request, &devices, err) && !begin_shared(output, request, err))
		verdict = launch_devices(devices, path, file, word, err);
	(void)unsetenv(VARIABLE);
	free(word);
	return err->code ? err->code : verdict;
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

enum gb_status gb_repetitions(const struct gb_request *request, struct gb_output *output, int argc,
			      char **argv, struct gb_records *records, struct gb_error *err)
{
	char memory[32];
	const int file = output->to_lines ? output->file : memory_file(memory, sizeof memory, err);
	const char *path = output->to_lines ? output->path : memory;
	enum gb_status verdict = GB_OK;
	struct stat info;

	if (!err->code)
		verdict = launch(request, output, path, file, argc, argv, err);
	/* Interrupted repetitions may have written nothing. */
	if (!err->code && verdict != GB_EUSAGE && fstat(file, &info) == 0 && info.st_size > 0)
		(void)gb_records_read(path, records, err);
	if (!output->to_lines && file >= 0)
		(void)close(file);
	return err->code ? err->code : verdict;
}
