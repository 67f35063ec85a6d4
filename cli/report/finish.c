/* finish.c -- see finish.h. */
#include "cli/report/finish.h"

#include "cli/report/print_report.h"

static enum gb_status print(FILE *file, const struct gb_session *s, enum gb_format format,
			    struct gb_error *err)
{
	struct gb_error local_err = { 0 };

	if (gb_report_print(file, &s->records, format, (struct gb_report_choice){ 0 }, &local_err))
		gb_fail(err, local_err.code, "%s", local_err.message);
	return local_err.code;
}

enum gb_status gb_finish(struct gb_session *s, bool table, struct gb_error *err)
{
	if (table && !s->request->quiet && !s->output.to_stdout && (s->seq > 0 || s->past))
		(void)print(stdout, s, GB_FORMAT_TABLE, err);
	if (s->output.whole.stream && (s->seq > 0 || !err->code) &&
	    print(s->output.whole.stream, s, GB_FORMAT_HTML, err))
		(void)gb_output_close(&s->output, false, err);
	return gb_session_close(s, err);
}

enum gb_status gb_replay(const struct gb_request *request, const struct gb_output *output,
			 const struct gb_records *records, struct gb_error *err)
{
	struct gb_session s = {
		.request = request, .records = *records, .output = *output, .seq = 1
	};

	/* The repetitions have already written the JSON lines of a file, but not those of standard
	 * output. */
	s.records.written = output->to_lines ? s.records.count : 0;
	s.records.written_contexts = output->to_lines ? s.records.context_count : 0;
	return gb_finish(&s, true, err);
}
