/* output.h -- the file that -o names: JSON lines as they come, or a page at the end.
 *
 * Nothing in it changes before the first line, or the page, is there to be written: an input
 * that cannot be read costs no records.
 */
#ifndef GPUBENCH_CLI_RECORDS_OUTPUT_H
#define GPUBENCH_CLI_RECORDS_OUTPUT_H

#include "cli/records/lines.h"
#include "common/whole.h"

/* What to do with records or a page that the file already holds. */
enum gb_existing { GB_REFUSE, GB_RESUME, GB_OVERWRITE };

/* Start with { 0 }. */
struct gb_output {
	const char *path;
	enum gb_existing existing;
	bool to_stdout;
	struct gb_whole whole; /* a page: written beside its place, renamed at the end */
	bool to_lines;         /* JSON lines go to `file`, which is locked */
	int file;
	bool created; /* the file was not there before */
	bool begun;   /* something was written */
	bool shared;  /* other processes append lines, too: gb_output_share() */
	/* --resume, set by gb_output_past(): the file is cut after keep_bytes, and its last line
	 * ended, before anything is appended. */
	bool cut, unended;
	size_t keep_bytes;
};

/* GB_EUSAGE if path is the name of no output: neither "-" nor of JSON lines nor of a page.  It may be
 * NULL: none. */
enum gb_status gb_output_check(const char *path, struct gb_error *err);

/* Whether that is a file of JSON lines, or a page.  path may be NULL. */
bool gb_is_lines(const char *path);
bool gb_is_page(const char *path);

/* Open and lock an output, whose contents stay until something is written; "-" is standard output,
 * NULL none.  GB_EUSAGE for an output of unknown kind, for a file that is not empty (GB_REFUSE), or
 * if there is nothing to resume from in that kind of output; GB_EIO if it cannot be written, or
 * another process is writing it. */
enum gb_status gb_output_open(struct gb_output *output, const char *path, enum gb_existing existing,
			      struct gb_error *err);

/* Use a descriptor of such a file, which is opened for appending and locked by the parent process.
 */
void gb_output_inherit(struct gb_output *output, const char *path, int file,
		       enum gb_existing existing);

/* The same where other children of that process append at the same time, after its
 * gb_output_begin(). */
void gb_output_share(struct gb_output *output, const char *path, int file,
		     enum gb_existing existing);

/* GB_RESUME: read the records of an output of JSON lines.  Of a killed writer's last line nothing
 * is kept.  GB_EUSAGE for what is no file of JSON lines. */
enum gb_status gb_output_past(struct gb_output *output, struct gb_records *records,
			      struct gb_error *err);

/* GB_EUSAGE, with the first difference, if a run of the records (of the file `path`) was made in
 * another setup than the run `now`: another machine, build, device, or cache mode.  The message ends
 * in the hint. */
enum gb_status gb_resume_check(const struct gb_records *records, const char *path,
			       const struct gb_run *now, const char *hint, struct gb_error *err);

/* Make the file ready for lines now, as the first one would: what is in it goes with GB_OVERWRITE, a
 * line that was cut off with GB_RESUME. */
enum gb_status gb_output_begin(struct gb_output *output, struct gb_error *err);

/* Write a line, if the output takes JSON lines: whole, or GB_EIO and not at all. */
enum gb_status gb_output_put(struct gb_output *output, const cJSON *line, struct gb_error *err);

/* Write all lines of a list, if the output takes JSON lines, in one go: a process that is killed
 * leaves all of them or, but for a moment, none. */
enum gb_status gb_output_put_all(struct gb_output *output, const struct gb_records *list,
				 struct gb_error *err);

/* Close it, if it is open; a page takes its place if it is to be kept. */
enum gb_status gb_output_close(struct gb_output *output, bool keep, struct gb_error *err);

#endif
