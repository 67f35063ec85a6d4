/* github.c -- prints a comparison as workflow commands of GitHub Actions. */
#include <string.h>

#include "cli/reports/compare/print.h"
#include "cli/reports/exchange/exchange.h"
#include "common/text.h"

/* Characters that would end a message, or begin an escape, are printed as %XX.  Others that control
 * a terminal become '?', because the log is shown in one. */
static void print_message(FILE *file, const char *text)
{
	for (size_t length; *text; text += length) {
		const size_t control = gb_text_control(text);

		length = control ? control : gb_utf8_length(text);
		if (strchr("%\r\n", *text))
			(void)fprintf(file, "%%%02X", (unsigned char)*text);
		else if (control)
			(void)fputc('?', file);
		else
			(void)fwrite(text, 1, length, file);
	}
}

static void print_command(FILE *file, const char *command, const struct gb_change *change)
{
	char text[320];

	(void)fprintf(file, "::%s title=gpubench %s::", command, gb_verdict_text(change->verdict));
	print_message(file, change->key);
	(void)fputs(": ", file);
	print_message(file, gb_change_text(change, text, sizeof text));
	(void)fputc('\n', file);
}

enum gb_status gb_github_print_comparison(FILE *file, const struct gb_comparison *comparison,
					  struct gb_error *err)
{
	static const char *const commands[GB_VERDICT_WORDS] = {
		[GB_SLOWER] = "error",   [GB_FAILED_RUN] = "error",   [GB_UNSURE] = "warning",
		[GB_ABSENT] = "warning", [GB_UNVERIFIED] = "warning",
	};
	const struct gb_comparison *c = comparison;
	char why[GB_WHY];

	(void)err;
	for (size_t i = 0; i < c->count; i++)
		if (commands[c->change[i].verdict] &&
		    (c->change[i].verdict != GB_ABSENT || c->change[i].in_base))
			print_command(file, commands[c->change[i].verdict], &c->change[i]);
	(void)fprintf(file, "::notice title=gpubench::%zu keys:", c->count);
	for (int v = 0; v < GB_VERDICT_WORDS; v++)
		if (c->verdicts[v])
			(void)fprintf(file, " %zu %s", c->verdicts[v],
				      gb_verdict_text((enum gb_verdict_word)v));
	if (gb_comparison_status(c, why) == GB_EUNDECIDED) {
		(void)fputs("; undecided: ", file);
		print_message(file, why);
	}
	(void)fputc('\n', file);
	return GB_OK;
}
