/* name.c -- the name of a record in other tools' formats. */
#include <stdio.h>

#include "cli/reports/exchange/exchange.h"

void gb_exchange_name(const char *key, bool cold, char *text)
{
	(void)snprintf(text, GB_EXCHANGE_NAME, "%s%s", key, cold ? "" : " hot");
}
