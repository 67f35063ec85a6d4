/* test_suggest.c -- which words are close enough to be suggested, and the text of a suggestion. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include "common/suggest.h"
#include "common/text.h"

struct mistake {
	char word[48];
	char text[64];
};

ParameterizedTestParameters(suggest, nearest)
{
	static struct mistake cases[] = {
		{ "raidx", " (did you mean radix?)" },  /* letters swapped */
		{ "radi", " (did you mean radix?)" },   /* letter missing */
		{ "rradix", " (did you mean radix?)" }, /* letter inserted */
		{ "rudix", " (did you mean radix?)" },  /* letter replaced */
		{ "ardix", " (did you mean radix?)" },  /* first letters swapped */
		{ "radxi", " (did you mean radix?)" },  /* last letters swapped */
		{ "rxdai", "." },                       /* two letters of five */
		{ "compra", "." },
		{ "RADIX", " (did you mean radix?)" },  /* case */
		{ "comp", " (did you mean compare?)" }, /* a prefix */
		{ "u23", " (did you mean u32?)" },
		{ "u3", " (did you mean u32 or u31?)" }, /* two of them */
		{ "distrbution", " (did you mean distribution?)" },
		{ "u16", "." },
		{ "x", "." },
		{ "", "." },
		{ "quicksort", "." },
	};

	return cr_make_param_array(struct mistake, cases, GB_COUNT(cases));
}

ParameterizedTest(struct mistake *m, suggest, nearest)
{
	static const char *const offered[] = {
		"radix", "compare", "u32", "u64", "u31", "u32", "distribution", "y",
	};
	struct gb_suggest s = { .word = m->word };

	for (size_t i = 0; i < GB_COUNT(offered); i++)
		gb_suggest_offer(&s, offered[i]);
	cr_expect(eq(str, (char *)gb_suggest_text(&s, "."), m->text));
}

Test(suggest, no_more_than_three)
{
	struct gb_suggest s = { .word = "lf1=4", .length = 3, .prefix = "" };

	gb_suggest_offer(&s, "lf2");
	gb_suggest_offer(&s, "lf3");
	gb_suggest_offer(&s, "lf4");
	gb_suggest_offer(&s, "lf5");
	cr_expect(eq(str, (char *)gb_suggest_text(&s, ""), " (did you mean lf2, lf3 or lf4?)"));
	s.prefix = "--";
	cr_expect(
		eq(str, (char *)gb_suggest_text(&s, ""), " (did you mean --lf2, --lf3 or --lf4?)"));
}
