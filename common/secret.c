/* secret.c -- random numbers that a measured variant cannot foresee. */
#include "common/secret.h"

#include <sys/random.h>

#include "common/rng.h"
#include "common/timer.h"

uint64_t gb_secret(void)
{
	static uint64_t key, drawn;

	if (drawn == 0 && getrandom(&key, sizeof key, GRND_NONBLOCK) < 0)
		key = (uint64_t)gb_now_ns();
	return gb_random64(key, drawn++);
}
