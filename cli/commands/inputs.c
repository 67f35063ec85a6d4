#include "cli/commands/inputs.h"

enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		records->truncated = false;
		if (gb_records_read(path[i], records, err))
			return err->code;
		if (records->truncated)
			(void)fprintf(stderr,
				      "gpubench: %s: the last line has no end (its writer was "
				      "killed?) and is left out\n",
				      path[i]);
	}
	return GB_OK;
}
