/* library.c -- see library.h. */
#include "common/library.h"

#include <dlfcn.h>
#include <string.h>

enum gb_status gb_library_load(const char *soname, const char *const *name, size_t count,
			       void *table, struct gb_error *err)
{
	void *symbol, *library;

	memcpy(&symbol, table, sizeof symbol);
	if (symbol)
		return GB_OK;
	library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return gb_fail(err, GB_EUNAVAILABLE, "%s is not installed", soname);
	for (size_t i = count; i-- > 0;) { /* the first is set last: all are there */
		symbol = dlsym(library, name[i]);
		if (!symbol) {
			(void)dlclose(library);
			return gb_fail(err, GB_EUNAVAILABLE, "%s lacks %s", soname, name[i]);
		}
		memcpy((char *)table + i * sizeof symbol, &symbol, sizeof symbol);
	}
	return GB_OK;
}
