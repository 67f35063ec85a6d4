/* looks.c -- see looks.h. */
#include "cli/reports/compare/looks.h"

#include <math.h>

/* The number of launches at look i, counted back from the last look, 0; returns 0 if there is
 * none. */
static int64_t look(int i, int64_t most)
{
	const int64_t launches = llround((double)most * pow(0.5, i / 2.0));

	return i == 0 || (i < GB_LOOKS && launches >= GB_FIRST_LOOK) ? launches : 0;
}

bool gb_look_due(int64_t done, int64_t most)
{
	for (int i = 0; look(i, most); i++)
		if (look(i, most) == done)
			return true;
	return false;
}

double gb_look_level(int64_t most)
{
	static const double alpha[GB_LOOKS] = { 0.05, 0.0294, 0.0221, 0.0182, 0.0158, 0.0142 };
	int looks = 1;

	while (look(looks, most))
		looks++;
	return 1 - alpha[looks - 1];
}
