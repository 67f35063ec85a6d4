/* suggest.c -- finds candidates near a misspelled word.
 *
 * The distance of two words is the number of characters inserted, deleted, replaced or swapped with
 * a neighbour (optimal string alignment; Damerau 1964), ignoring case.  A prefix is at distance 1
 * from the whole word.  Near means at most a third of the word's length, or 1 for short words.
 */
#include "common/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* Longer words are not compared. */
enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Keeps three rows of the table of distances between all prefixes. */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t row[3][LONGEST + 1];

	for (size_t j = 0; j <= n; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		const size_t *before = row[(i - 1) % 3], *earlier = row[(i + 1) % 3];
		size_t *now = row[i % 3];

		now[0] = i;
		for (size_t j = 1; j <= n; j++) {
			const int x = tolower((unsigned char)a[i - 1]);
			const int y = tolower((unsigned char)b[j - 1]);

			now[j] = least(before[j - 1] + (x != y), least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				now[j] = least(now[j], earlier[j - 2] + 1);
		}
	}
	return row[m % 3][n];
}

void gb_suggest_offer(struct gb_suggest *s, const char *candidate)
{
	const size_t length = s->length ? s->length : strlen(s->word);
	const size_t other = strlen(candidate);
	size_t far = LONGEST;

	if (length < 2 || length > LONGEST || other > LONGEST)
		return;
	far = distance(s->word, length, candidate, other);
	if (length < other && strncmp(s->word, candidate, length) == 0)
		far = 1;
	if (far > (length < 6 ? 1 : length / 3) || (s->count && far > s->distance))
		return;
	if (far < s->distance)
		s->count = 0;
	for (size_t i = 0; i < s->count; i++)
		if (gb_equal(s->nearest[i], candidate))
			return;
	s->distance = far;
	if (s->count < GB_SUGGESTIONS)
		s->nearest[s->count++] = candidate;
}

const char *gb_suggest_text(struct gb_suggest *s, const char *otherwise)
{
	size_t used;

	if (s->count == 0)
		return otherwise;
	used = (size_t)snprintf(s->text, sizeof s->text, " (did you mean ");
	for (size_t i = 0; i < s->count; i++)
		used += (size_t)snprintf(s->text + used, sizeof s->text - used, "%s%s%s",
					 i == 0              ? ""
					 : i + 1 == s->count ? " or "
							     : ", ",
					 s->prefix ? s->prefix : "", s->nearest[i]);
	(void)snprintf(s->text + used, sizeof s->text - used, "?)");
	return s->text;
}
