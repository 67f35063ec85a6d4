/* option.cc -- the options GPUBENCH_PTX_* in the environment. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cudart/runtime.h"

struct options runtime_options;
static bool known;

/* The value of option `name`, or NULL if it is not set or empty. */
static const char *text(const char *name)
{
	char variable[64];

	snprintf(variable, sizeof variable, "GPUBENCH_PTX_%s", name);
	const char *const value = getenv(variable);

	return value && *value ? value : NULL;
}

static void complain(const char *name, const char *value, const char *wanted)
{
	fprintf(stderr, "ptx: GPUBENCH_PTX_%s=%s is not %s\n", name, value, wanted);
	exit(2);
}

static int64_t number(const char *name, int64_t otherwise, int64_t least, int64_t most)
{
	const char *const value = text(name);
	char *end;

	if (!value)
		return otherwise;
	const long long n = strtoll(value, &end, 0);

	if (*end || n < least || n > most)
		complain(name, value, "a number in its range");
	return n;
}

static bool flag(const char *name, bool otherwise)
{
	return number(name, otherwise, 0, 1) != 0;
}

static enum order order(const char *name, bool shuffle)
{
	const char *const value = text(name);

	if (!value || strcmp(value, "forward") == 0)
		return ORDER_FORWARD;
	if (strcmp(value, "reverse") == 0)
		return ORDER_REVERSE;
	if (!shuffle || strcmp(value, "shuffle") != 0)
		complain(name, value,
			 shuffle ? "forward, reverse or shuffle" : "forward or reverse");
	return ORDER_SHUFFLE;
}

void options_read(void)
{
	struct options *const o = &runtime_options;
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (known)
		return;
	known = true;
	o->seed = (uint64_t)number("SEED", 0, 0, INT64_MAX);
	const long threads = o->seed ? 1 : cores < 8 ? cores : 8;

	o->threads = (int)number("THREADS", threads, 1, 64);
	o->resident = (int)number("RESIDENT", o->seed ? 4 : 1, 1, 64);
	o->order = order("ORDER", false);
	o->blocks = order("BLOCKS", true);
	if (o->seed && !text("BLOCKS"))
		o->blocks = ORDER_SHUFFLE;
	o->strict = flag("STRICT", true);
	o->protect = flag("PROTECT", false);
	o->clusters = flag("CLUSTERS", true);
	o->persisting = flag("PERSISTING", true);
	o->leaks = flag("LEAKS", false);
	o->memory = (size_t)number("MEMORY_MB", 4096, 1, 1 << 20) << 20;
	o->processors = (int)number("SMS", 4, 1, 1024);
	o->sm_blocks = (int)number("SM_BLOCKS", 32, 1, 32);
	o->cluster_blocks = (unsigned)number("CLUSTER_BLOCKS", MAX_CLUSTER, 1, MAX_CLUSTER);
	o->devices = (int)number("DEVICES", 1, 1, 16);
	o->timeout_s = (double)number("TIMEOUT", 20, 1, 86400);
	o->pci = text("PCI");
	o->capability = (int)number("CAPABILITY", 0, 10, 999);
	o->weak = flag("WEAK", false);
	o->check = flag("CHECK", true);
	if (o->weak)
		o->threads = 1; /* its histories are not thread-safe */
	if (o->weak && !text("RESIDENT"))
		o->resident = 4;
}

void options_forget(void)
{
	known = false;
}

void reached_append(void (*print)(FILE *out))
{
	const char *const path = text("REACHED");
	const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
	char *printed = NULL;
	size_t bytes = 0;
	FILE *const out = file >= 0 ? open_memstream(&printed, &bytes) : NULL;

	if (out) {
		print(out);
		fclose(out);
		if (write(file, printed, bytes) != (ssize_t)bytes)
			perror(path);
	}
	free(printed);
	if (file >= 0)
		close(file);
}
