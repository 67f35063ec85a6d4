/* resident.c -- see resident.h.  The files are described by proc(5). */
#include "common/resident.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

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

/* Let VmHWM begin at VmRSS; false if the kernel does not. */
static bool restart_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");

	if (!file)
		return false;
	(void)fputs("5", file);
	return fclose(file) == 0; /* which writes it */
}

void gb_resident_begin(struct gb_resident *r)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
	*r = (struct gb_resident){ .base = restart_peak() ? read_status("VmRSS") : (double)NAN };
}

double gb_resident_peak(const struct gb_resident *r)
{
	return isnan(r->base) ? (double)NAN : fmax(r->peak, read_status("VmHWM") - r->base);
}

void gb_resident_pause(struct gb_resident *r)
{
	if (isnan(r->base))
		return;
	r->peak = gb_resident_peak(r);
	r->paused = read_status("VmRSS");
}

void gb_resident_resume(struct gb_resident *r)
{
	if (isnan(r->base))
		return;
	(void)restart_peak();
	r->base += read_status("VmRSS") - r->paused;
}
