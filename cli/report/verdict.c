/* verdict.c -- see verdict.h. */
#include "cli/report/verdict.h"

#include <math.h>

#include "common/text.h"

static const char *const words[] = {
	[GB_SAME] = "same",
	[GB_FASTER] = "faster",
	[GB_SLOWER] = "slower",
	[GB_UNSURE] = "unsure",
	[GB_ABSENT] = "absent",
	[GB_FAILED_RUN] = "failed",
	[GB_UNVERIFIED] = "unverified",
};
_Static_assert(GB_COUNT(words) == GB_VERDICT_WORDS, "a word for each verdict");

static const enum gb_style styles[GB_VERDICT_WORDS] = {
	[GB_FASTER] = GB_GOOD, [GB_SLOWER] = GB_BAD,     [GB_UNSURE] = GB_WARN,
	[GB_ABSENT] = GB_WARN, [GB_FAILED_RUN] = GB_BAD, [GB_UNVERIFIED] = GB_WARN,
};

const char *gb_verdict_text(enum gb_verdict_word verdict)
{
	return words[verdict];
}

enum gb_style gb_verdict_style(enum gb_verdict_word verdict)
{
	return styles[verdict];
}

double gb_repetition_value(const struct gb_record *record)
{
	return record->has_time ? record->time.median : (double)NAN;
}

bool gb_is_timed(const struct gb_record *record)
{
	return record->has_time && record->status == GB_STATUS_OK;
}
