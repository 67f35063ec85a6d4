/* mutant.c -- the active mutant of a build (schemata.py), from the environment: MUTANT is its
 * number, and MUTANTS_REACHED a file with a byte per mutant, which gets a 1 at those reached. */
#include "tests/trials/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1 << 18 };

static unsigned char ignored[MOST];
int gb_mutant = -1;
unsigned char *gb_reached = ignored;

__attribute__((constructor(101))) static void choose_mutant(void)
{
	const char *number = getenv("MUTANT"), *path = getenv("MUTANTS_REACHED");
	const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *bytes;

	if (number)
		gb_mutant = atoi(number);
	if (file < 0)
		return;
	bytes = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (bytes != MAP_FAILED)
		gb_reached = (unsigned char *)bytes; /* the emulator's is C++ */
	(void)close(file);
}
