/* test_session.c -- which of two verdicts a session ends with. */
#include "cli/measuring/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "common/text.h"

Test(session, the_worse_verdict_stays)
{
	static const enum gb_status rising[] = { GB_OK,       GB_EUNAVAILABLE, GB_EUNDECIDED,
						 GB_ERUNTIME, GB_EVERIFY,      GB_EUSAGE,
						 GB_EIO,      GB_EINTERRUPTED };

	for (size_t i = 0; i < GB_COUNT(rising); i++)
		for (size_t k = 0; k <= i; k++) {
			cr_expect(eq(int, (int)gb_worse(rising[i], rising[k]), (int)rising[i]));
			cr_expect(eq(int, (int)gb_worse(rising[k], rising[i]), (int)rising[i]));
		}
}
