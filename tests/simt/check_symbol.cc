/* check_symbol.cc -- maps a code address to its source line, with addr2line of binutils. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>

#include "tests/simt/check.h"

/* The first object is the program.  Its load address is 0 unless it is position-independent. */
static int take_base(struct dl_phdr_info *info, size_t, void *base)
{
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

uint32_t symbol_offset(const void *code)
{
	static uintptr_t base = 1;

	if (base == 1)
		dl_iterate_phdr(take_base, &base);
	return (uint32_t)((uintptr_t)code - base);
}

static bool is_emulator(const char *place)
{
	return strstr(place, "tests/simt/simt") || strstr(place, "cuda/gpu.h");
}

/* The path from cuda/ on for kernels, the file name alone for other files. */
static const char *short_path(const char *place)
{
	const char *const kernels = strstr(place, "/cuda/");
	const char *const slash = strrchr(place, '/');

	return kernels ? kernels + 1 : slash ? slash + 1 : place;
}

/* addr2line -f -i prints pairs of lines (function, file:line), innermost first.  Return the first
 * place outside the emulator's own headers. */
static std::string read_place(FILE *lines)
{
	char function[2048], place[2048] = "?";

	while (fgets(function, sizeof function, lines) && fgets(place, sizeof place, lines)) {
		place[strcspn(place, " \n")] = '\0';
		if (!is_emulator(place))
			break;
	}
	return short_path(place);
}

static std::string look_up(uint32_t pc)
{
	char command[96];

	snprintf(command, sizeof command, "addr2line -f -i -e /proc/%d/exe %x 2>/dev/null",
		 getpid(), pc - 1);
	FILE *const lines = popen(command, "r");
	std::string place = "?";

	if (lines) {
		place = read_place(lines);
		pclose(lines);
	}
	return place;
}

const char *symbol_line(uint32_t pc)
{
	static std::map<uint32_t, std::string> *const known = new std::map<uint32_t, std::string>;
	const auto found = known->find(pc);

	if (found != known->end())
		return found->second.c_str();
	return known->insert({ pc, look_up(pc) }).first->second.c_str();
}
