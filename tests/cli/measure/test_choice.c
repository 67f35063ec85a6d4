/* test_choice.c -- words that select benchmarks and variants, or exclude some. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/sweep.h"
#include "common/text.h"

static struct gb_choice read(const char *only, const char *const *word, size_t count)
{
	struct gb_choice choice = { 0 };
	struct gb_error err = { 0 };

	gb_choice_read(&choice, only ? gb_benchmark_find(only) : NULL, word, count, &err);
	cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
	return choice;
}

Test(choice, a_glob_that_does_not_exclude_makes_a_back_end_explicit)
{
	static const char *const in[] = { "cuda/*" }, *const out[] = { "!cuda/*" };
	const struct gb_choice with = read("radix", in, 1), without = read("radix", out, 1);

	cr_assert(gb_is_explicit(&with, GB_CUDA));
	cr_assert(not(gb_is_explicit(&without, GB_CUDA)));
	cr_assert(not(gb_chosen_backends(&without) >> GB_CUDA & 1));
}

Test(choice, back_ends_of_chosen_variants)
{
	static const char *const word[] = { "cpu/*" }, *const two[] = { "radix", "bfs", "cpu/csr" };
	const struct gb_choice all = read("stream", word, 1), few = read(NULL, two, 3);

	cr_assert(eq(uint, gb_chosen_backends(&all), 1U << GB_CPU));
	cr_assert(eq(uint, gb_chosen_backends(&few), 1U << GB_CPU));
}

/* --backend names one. */
Test(choice, explicit_back_ends)
{
	const struct gb_choice one = { .backends = 1U << GB_CUDA };
	const struct gb_choice two = { .backends = 1U << GB_CUDA | 1U << GB_CPU };
	const struct gb_choice named = { .glob_count = 1, .glob = { "cuda-like/*" } };

	cr_assert(gb_is_explicit(&one, GB_CUDA));
	cr_assert(not(gb_is_explicit(&one, GB_CPU)));
	cr_assert(not(gb_is_explicit(&two, GB_CUDA)));
	cr_assert(not(gb_is_explicit(&named, GB_CUDA)));
}

Test(choice, bad_words)
{
	static const struct {
		const char *only, *word, *other, *message;
	} row[] = {
		{ NULL, "radix", "cpu/bst",
		  "no variant of radix matches 'cpu/bst' (did you mean best?)" },
		{ NULL, "raidx", "cpu/best",
		  "'raidx' is neither a benchmark nor a variant (did you mean radix?)" },
		{ NULL, "cpu/best", "steram",
		  "'steram' is neither a benchmark nor a variant (did you mean stream?)" },
		{ NULL, "cpu/best", "!best", "the words leave no variant to run" },
		{ NULL, "!nothing", "radix",
		  "no variant of radix matches '!nothing' (see gpubench list)" },
		{ NULL, "!bset", "radix",
		  "no variant of radix matches '!bset' (did you mean best?)" },
		{ NULL, "cpu/bst", "!best",
		  "'cpu/bst' is neither a benchmark nor a variant (did you mean best?)" },
		{ NULL, "radix", "bfs/x",
		  "no variant of radix matches 'bfs/x' (see gpubench list)" },
		{ "radix", "best", "radx",
		  "no variant of radix matches 'radx' (see gpubench list)" },
		{ "radix", "best", "bfs", "no variant of radix matches 'bfs' (see gpubench list)" },
	};
	const char *many[GB_MAX_WORDS + 1];

	for (size_t i = 0; i <= GB_COUNT(row); i++) {
		const bool last = i == GB_COUNT(row); /* too many words */
		const struct gb_benchmark *only =
			!last && row[i].only ? gb_benchmark_find(row[i].only) : NULL;
		struct gb_choice choice = { 0 };
		struct gb_error err = { 0 };

		for (size_t k = 0; k <= GB_MAX_WORDS; k++)
			many[k] = "best";
		cr_expect(eq(int,
			     (int)gb_choice_read(&choice, only, last ? many : &row[i].word,
						 last ? GB_COUNT(many) : 2, &err),
			     GB_EUSAGE));
		cr_expect(eq(str, err.message,
			     (char *)(last ? "more than 64 words" : row[i].message)));
	}
	(void)read(NULL, many, GB_MAX_WORDS);
}
