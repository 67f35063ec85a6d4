/* resident.c -- see resident.h.  The files are described by proc(5). */
#include "cli/measuring/resident.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The bytes in a line "NAME: number kB" of /proc/self/status. */
static double read_status(const char *name)
{
	const size_t length = strlen(name);
	FILE *file = fopen("/proc/self/status", "re");
	double kib = NAN;
	char line[256];

	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, name, length) && sscanf(line + length, ": %lf kB", &kib) == 1)
			break;
	if (file)
		(void)fclose(file);
	return kib * 1024;
}

double gb_resident_now(void)
{
	return read_status("VmRSS");
}

double gb_resident_peak(void)
{
	return read_status("VmHWM");
}

double gb_resident_mark(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");
	int failed = !file;

	(void)malloc_trim(0);
	if (file) {
		failed = fputs("5", file) == EOF;
		failed |= fclose(file) == EOF;
	}
	return failed ? (double)NAN : gb_resident_now();
}
