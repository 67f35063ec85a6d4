/* test_rng.c -- random words.
 *
 * The known answers of Philox4x32-10 are those published with Random123 (kat_vectors).
 */
#include "common/rng.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/secret.h"
#include "common/text.h"

Test(rng, known_answers)
{
	static const struct {
		uint64_t seed, stream, index;
		uint32_t word[4];
	} known[] = {
		{ 0, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ UINT64_C(0x299f31d0a4093822),
		  UINT64_C(0x0370734413198a2e),
		  UINT64_C(0x85a308d3243f6a88),
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};

	for (size_t i = 0; i < GB_COUNT(known); i++) {
		const struct gb_random_block b =
			gb_random_block(known[i].seed, known[i].stream, known[i].index);

		cr_assert_arr_eq(b.word, known[i].word, sizeof b.word);
	}
}

Test(rng, words_of_a_block)
{
	struct gb_random_block b = gb_random_block(7, 3, 5);

	cr_assert(b.word[0] == 0xd132512e && b.word[1] == 0x6f5a4d4d);
	cr_assert_eq(gb_random64_stream(7, 3, 5), UINT64_C(0x6f5a4d4dd132512e));
	cr_assert_eq(gb_random_half(b, 1), UINT64_C(0x742f7fd9d0cc80b2));
	cr_assert_eq(gb_random64(7, 0), UINT64_C(0xc009f9dcf4607a2d));
	cr_assert(gb_random_unit_stream(7, 0, 0) == 0.75015222210311261);
	cr_assert(gb_random_to_unit(0) == 0);
	cr_assert(gb_random_to_unit(UINT64_MAX) == 1 - 0x1p-53);
}

/* Two processes draw other secrets, and each draws others. */
Test(rng, secrets)
{
	uint64_t drawn[4] = { 0 };

	for (size_t i = 0; i < GB_COUNT(drawn); i += 2) {
		int pipes[2];
		pid_t child;

		cr_assert_eq(pipe(pipes), 0);
		child = fork();
		if (child == 0) {
			const uint64_t two[] = { gb_secret(), gb_secret() };

			_exit(write(pipes[1], two, sizeof two) != (ssize_t)sizeof two);
		}
		(void)close(pipes[1]);
		cr_assert_eq(read(pipes[0], drawn + i, 16), 16);
		(void)close(pipes[0]);
		(void)waitpid(child, NULL, 0);
	}
	for (size_t i = 0; i < GB_COUNT(drawn); i++)
		for (size_t k = 0; k < i; k++)
			cr_expect_neq(drawn[i], drawn[k]);
}
