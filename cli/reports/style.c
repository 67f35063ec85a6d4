#include "cli/reports/style.h"

#include <langinfo.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/text.h"

struct gb_style gb_style_for(FILE *file, enum gb_format format)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (struct gb_style){
		.format = format,
		.color = isatty(fileno(file)) && !(no_color && no_color[0]) && terminal &&
			 !gb_equal(terminal, "dumb"),
		.utf8 = format == GB_FORMAT_HTML || gb_equal(nl_langinfo(CODESET), "UTF-8"),
	};
}
