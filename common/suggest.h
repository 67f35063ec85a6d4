/* suggest.h -- "did you mean": of the words that were possible, those nearest to the one given. */
#ifndef GPUBENCH_COMMON_SUGGEST_H
#define GPUBENCH_COMMON_SUGGEST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GB_SUGGESTIONS = 3, GB_SUGGESTION_MAX = 160 };

/* Start with { .word = ... }; its first `length` characters count (0: all).  The prefix, or NULL, is
 * printed before each suggestion. */
struct gb_suggest {
	const char *word;
	size_t length;
	const char *prefix;
	size_t distance, count;
	const char *nearest[GB_SUGGESTIONS];
	char text[GB_SUGGESTION_MAX];
};

/* Consider a word that would have been right, which must outlive the suggestion. */
void gb_suggest_offer(struct gb_suggest *suggest, const char *candidate);

/* " (did you mean radix?)", " (did you mean u32 or u64?)", or, if nothing offered was near,
 * `otherwise`. */
const char *gb_suggest_text(struct gb_suggest *suggest, const char *otherwise);

#ifdef __cplusplus
}
#endif
#endif
