/* suggest.c -- finds candidates near a misspelled word: those that begin with it, and those that
 * differ from it by one character inserted, deleted or replaced, or by two neighbours swapped,
 * whatever the case.
 */
#include "common/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

static bool is_same(const char *a, const char *b)
{
	return strncasecmp(a, b, 1) == 0;
}

/* Compares what is left of both words, of m and n characters, between their common ends. */
static bool is_near(const char *a, size_t m, const char *b, size_t n)
{
	for (; m && n && is_same(a, b); m--, n--, a++, b++)
		;
	for (; m && n && is_same(a + m - 1, b + n - 1); m--, n--)
		;
	return (m <= 1 && n <= 1) || (m == 2 && n == 2 && is_same(a, b + 1) && is_same(a + 1, b));
}

void gb_suggest_offer(struct gb_suggest *s, const char *candidate)
{
	const size_t length = s->length ? s->length : strlen(s->word);

	if (length < 2 || s->count == GB_SUGGESTIONS ||
	    (strncmp(s->word, candidate, length) != 0 &&
	     !is_near(s->word, length, candidate, strlen(candidate))))
		return;
	for (size_t i = 0; i < s->count; i++)
		if (gb_equal(s->nearest[i], candidate))
			return;
	s->nearest[s->count++] = candidate;
}

const char *gb_suggest_text(struct gb_suggest *s, const char *otherwise)
{
	if (s->count == 0)
		return otherwise;
	(void)snprintf(s->text, sizeof s->text, " (did you mean ");
	for (size_t i = 0; i < s->count; i++)
		gb_text_append(s->text, sizeof s->text, "%s%s%.40s",
			       i == 0              ? ""
			       : i + 1 == s->count ? " or "
						   : ", ",
			       s->prefix ? s->prefix : "", s->nearest[i]);
	gb_text_append(s->text, sizeof s->text, "?)");
	return s->text;
}
