/* output.h -- the file that -o names: JSON lines, written as they come.
 *
 * The file is not changed before the first line is ready, so no records are lost if an input cannot
 * be read.
 */
#ifndef GPUBENCH_CLI_RECORDS_OUTPUT_H
#define GPUBENCH_CLI_RECORDS_OUTPUT_H

#include "cli/records/lines.h"

/* How to treat records that the file already holds. */
enum gb_existing { GB_REFUSE, GB_RESUME, GB_OVERWRITE };

/* Start with { 0 }. */
struct gb_output {
	const char *path;
	enum gb_existing existing;
	bool to_stdout;
	bool to_lines; /* JSON lines go to `file`, which is locked */
	int file;
	bool created; /* the file did not exist before */
	bool begun;   /* something was written */
	bool shared;  /* other processes append too */
	/* Before anything is appended, the file is truncated to keep_bytes, and its last line gets
	 * its newline (unended).  Set by gb_output_past() for --resume. */
	size_t keep_bytes;
	bool unended;
};

/* GB_EUSAGE unless path is NULL (no output), "-", or the name of a JSON Lines file. */
enum gb_status gb_output_check(const char *path, struct gb_error *err);

/* True if path names a file of JSON lines.  path may be NULL. */
bool gb_is_lines(const char *path);

/* Open and lock an output; its contents stay until something is written.  "-" is standard output,
 * NULL is none.  GB_EUSAGE for an output of unknown type, for a file that is not empty (GB_REFUSE),
 * or for a type that cannot be resumed (GB_RESUME).  GB_EIO if the file cannot be written or
 * another process is writing it. */
enum gb_status gb_output_open(struct gb_output *output, const char *path, enum gb_existing existing,
			      struct gb_error *err);

/* Use the descriptor of a JSON Lines file that the parent process has locked and opened for
 * appending.  If siblings append at the same time, it is shared, and the parent must have called
 * gb_output_begin(). */
void gb_output_inherit(struct gb_output *output, const char *path, int file, bool shared,
		       enum gb_existing existing);

/* GB_RESUME: read the records of an output of JSON lines, which count as written.  A last line that
 * was cut off is dropped. GB_EUSAGE if the file is not JSON lines. */
enum gb_status gb_output_past(struct gb_output *output, struct gb_records *records,
			      struct gb_error *err);

/* GB_EUSAGE if a run of the records (from the file `path`) was made with another setup than the run
 * `now`: another machine, build, device or cache mode.  The message names
 * the first difference and ends in the hint. */
enum gb_status gb_resume_check(const struct gb_records *records, const char *path,
			       const struct gb_context *now, const char *hint,
			       struct gb_error *err);

/* Prepare the file for the first line, as gb_output_put() would: GB_OVERWRITE removes the old
 * contents, GB_RESUME a line that was cut off. */
enum gb_status gb_output_begin(struct gb_output *output, struct gb_error *err);

/* Write the lines of a list that are not yet in the output, if it takes JSON lines, with one
 * append: a process that is killed almost always leaves either all of them or none.  On GB_EIO,
 * nothing of them is left in a regular file. */
enum gb_status gb_output_put(struct gb_output *output, struct gb_records *list,
			     struct gb_error *err);

/* Close the output if it is open. */
enum gb_status gb_output_close(struct gb_output *output, struct gb_error *err);

#endif
