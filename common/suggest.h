/* suggest.h -- "did you mean": finds the valid words nearest to the given one. */
#ifndef GPUBENCH_COMMON_SUGGEST_H
#define GPUBENCH_COMMON_SUGGEST_H

#include <stddef.h>

enum { GB_SUGGESTIONS = 3, GB_SUGGESTION_MAX = 160 };

/* Initialise with { .word = ... }.  Only the first `length` characters of word count (0: all).  The
 * prefix, if not NULL, is printed before each suggestion. */
struct gb_suggest {
	const char *word;
	size_t length;
	const char *prefix;
	size_t count;
	const char *nearest[GB_SUGGESTIONS];
	char text[GB_SUGGESTION_MAX];
};

/* Consider a valid word, which must outlive the suggestion. */
void gb_suggest_offer(struct gb_suggest *suggest, const char *candidate);

/* " (did you mean radix?)" or " (did you mean u32 or u64?)"; `otherwise` if none was near. */
const char *gb_suggest_text(struct gb_suggest *suggest, const char *otherwise);

#endif
