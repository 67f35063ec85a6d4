/* output.c -- see output.h. */
#include "cli/records/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/records/machine.h"
#include "common/text.h"
#include "common/whole.h"

/* ---- opening an output -------------------------------------------------------------------- */

static enum gb_status cannot_write(const char *path, struct gb_error *err)
{
	return gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
}

bool gb_is_lines(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && gb_equal(dot, ".jsonl");
}

enum gb_status gb_output_check(const char *path, struct gb_error *err)
{
	if (!path || gb_equal(path, "-") || gb_is_lines(path))
		return GB_OK;
	return gb_fail(err, GB_EUSAGE,
		       "--output=%.200s: must be - or end in .jsonl (gpubench report --format=... "
		       "prints other formats from it)",
		       path);
}

/* GB_EUSAGE if the file has contents that may be neither replaced nor added to. */
static enum gb_status check_existing(const struct gb_output *output, const struct stat *info,
				     struct gb_error *err)
{
	if (output->existing != GB_REFUSE || !S_ISREG(info->st_mode) || info->st_size == 0)
		return GB_OK;
	return gb_fail(err, GB_EUSAGE, "%s exists: --overwrite replaces it, --resume adds to it",
		       output->path);
}

static enum gb_status open_lines(struct gb_output *output, struct gb_error *err)
{
	struct stat info;

	output->created = stat(output->path, &info) != 0;
	if (!output->created && S_ISFIFO(info.st_mode) && output->existing == GB_RESUME)
		return gb_fail(err, GB_EUSAGE, "--resume: %s is not a regular file", output->path);
	output->file =
		gb_open_locked(output->path, output->path,
			       (output->existing == GB_RESUME ? O_RDWR : O_WRONLY) | O_APPEND, err);
	if (output->file < 0)
		return err->code;
	output->to_lines = true;
	return fstat(output->file, &info) ? cannot_write(output->path, err)
					  : check_existing(output, &info, err);
}

enum gb_status gb_output_open(struct gb_output *output, const char *path, enum gb_existing existing,
			      struct gb_error *err)
{
	*output = (struct gb_output){ .path = path, .existing = existing };
	if (existing == GB_RESUME && !gb_is_lines(path))
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o FILE.jsonl");
	if (!path || gb_output_check(path, err))
		return err->code;
	output->to_stdout = gb_equal(path, "-");
	if (output->to_stdout)
		return GB_OK;
	if (open_lines(output, err))
		(void)gb_output_close(output, err);
	return err->code;
}

void gb_output_inherit(struct gb_output *output, const char *path, int file, bool shared,
		       enum gb_existing existing)
{
	*output = (struct gb_output){ .path = path,
				      .existing = existing,
				      .to_lines = true,
				      .file = file,
				      .begun = shared,
				      .shared = shared };
}

/* ---- existing contents -------------------------------------------------------------------- */

enum gb_status gb_output_past(struct gb_output *output, struct gb_records *records,
			      struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct stat status;

	if (fstat(output->file, &status) || status.st_size == 0)
		return GB_OK;
	/* If the only line was cut off, there is nothing to read. */
	if (gb_records_read(output->path, records, &own) &&
	    !(records->truncated && !records->count && !records->context_count))
		return gb_fail(err, own.code, "%s", own.message);
	if (records->truncated ? records->complete_bytes >= (size_t)status.st_size
			       : records->complete_bytes != (size_t)status.st_size)
		return gb_fail(err, GB_EUSAGE,
			       "--resume: %s is packed or a document, not JSON lines",
			       output->path);
	output->unended = records->unended;
	output->keep_bytes = records->complete_bytes;
	records->written_contexts = records->context_count;
	records->written = records->count;
	return GB_OK;
}

/* `path` and `hint` are for the message. */
static enum gb_status differs(const char *path, const char *part, const char *there,
			      const char *here, const char *hint, struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "--resume: %.80s differs in its %s: %.150s, now %.150s%s",
		       path, part, there, here, hint);
}

static enum gb_status check_run(const struct gb_context *context, const struct gb_context *now,
				const char *path, const char *hint, struct gb_error *err)
{
	if (!gb_same_machine(&context->on_cpu, &now->on_cpu))
		return differs(path, "CPU", context->on_cpu.text, now->on_cpu.text, hint, err);
	if ((gb_context_gpu(context) || gb_context_gpu(now)) &&
	    !gb_same_machine(&context->on_gpu, &now->on_gpu))
		return differs(path, "GPU", context->on_gpu.text, now->on_gpu.text, hint, err);
	for (size_t i = 0; i < gb_context_fields.count; i++) {
		const struct gb_field *field = &gb_context_fields.field[i];
		const struct gb_field_value a = gb_context_value(context, field->path);
		const struct gb_field_value b = gb_context_value(now, field->path);
		char there[128], here[128];

		if (field->setup && !gb_values_equal(a, b))
			return differs(path, field->setup, gb_value_words(a, there, sizeof there),
				       gb_value_words(b, here, sizeof here), hint, err);
	}
	return GB_OK;
}

enum gb_status gb_resume_check(const struct gb_records *records, const char *path,
			       const struct gb_context *now, const char *hint, struct gb_error *err)
{
	for (size_t i = 0; i < records->context_count && !err->code; i++)
		if (records->context[i] != now)
			(void)check_run(records->context[i], now, path, hint, err);
	return err->code;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Write the whole text; false on failure. */
static bool write_all(int file, const char *text, size_t size)
{
	while (size > 0) {
		const ssize_t written = write(file, text, size);

		if (written >= 0) {
			text += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

enum gb_status gb_output_begin(struct gb_output *output, struct gb_error *err)
{
	/* EINVAL: it is not a regular file. */
	if (output->to_lines && !output->begun && output->existing != GB_REFUSE &&
	    ((ftruncate(output->file, (off_t)output->keep_bytes) && errno != EINVAL) ||
	     (output->unended && !write_all(output->file, "\n", 1))))
		return cannot_write(output->path, err);
	output->begun = true;
	return GB_OK;
}

/* Lock or unlock the file against the other processes that append.  flock() would not work: the
 * processes share one open file description. */
static void lock_shared(const struct gb_output *output, short type)
{
	struct flock whole = { .l_type = type, .l_whence = SEEK_SET };

	while (output->shared && fcntl(output->file, F_SETLKW, &whole) && errno == EINTR)
		;
}

/* Append the whole text.  On GB_EIO, nothing of it is left in a regular file; what is left because
 * that cannot be shortened is a line that was cut off. */
static enum gb_status append_text(struct gb_output *output, const char *text, size_t length,
				  struct gb_error *err)
{
	struct stat before;

	if (length == 0 || gb_output_begin(output, err))
		return err->code;
	lock_shared(output, F_WRLCK);
	if (fstat(output->file, &before)) {
		(void)cannot_write(output->path, err);
	} else if (!write_all(output->file, text, length)) {
		(void)cannot_write(output->path, err);
		if (S_ISREG(before.st_mode))
			(void)!ftruncate(output->file, before.st_size);
	}
	lock_shared(output, F_UNLCK);
	return err->code;
}

enum gb_status gb_output_put(struct gb_output *output, struct gb_records *list,
			     struct gb_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *memory;

	if (!output->to_stdout && !output->to_lines)
		return GB_OK;
	memory = open_memstream(&text, &size);
	if (memory)
		gb_records_print(memory, list);
	if (!memory || (ferror(memory) | fclose(memory)))
		gb_out_of_memory(err, "writing records");
	if (!err->code && output->to_lines)
		(void)append_text(output, text, size, err);
	else if (!err->code && (fputs(text, stdout) < 0 || fflush(stdout)))
		gb_fail(err, GB_EIO, "cannot write a record: %s", strerror(errno));
	free(text);
	if (err->code)
		return err->code;
	list->written_contexts = list->context_count;
	list->written = list->count;
	return GB_OK;
}

enum gb_status gb_output_close(struct gb_output *output, struct gb_error *err)
{
	struct stat info;

	if (output->to_lines) {
		if (output->created && fstat(output->file, &info) == 0 && info.st_size == 0)
			(void)unlink(output->path);
		if (close(output->file))
			(void)cannot_write(output->path, err);
	}
	*output = (struct gb_output){ 0 };
	return err->code;
}
