/* traffic.cc -- traffic.h in a build without the checker: nothing is counted. */
#include "tests/simt/traffic.h"

#define WEAK __attribute__((weak))

WEAK bool simt_traffic_available(void)
{
	return false;
}

WEAK void simt_traffic_begin(void)
{
}

WEAK void simt_traffic_end(void)
{
}

WEAK size_t simt_traffic_read(struct simt_traffic *rows, size_t room)
{
	(void)rows;
	(void)room;
	return 0;
}

WEAK struct simt_traffic simt_traffic_sum(const char *kernel, bool shared, bool write)
{
	const struct simt_traffic none = { kernel, "", 0, shared, write, 0, 0, 0, 0 };

	return none;
}
