/* usage.c -- see usage.h. */
#include "cli/measuring/usage.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"

static double read_clock(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double gb_cpu_ns(int process)
{
	clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;

	if (process)
		(void)clock_getcpuclockid(process, &clock);
	return read_clock(clock);
}

double gb_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static const double TICK_NS = 6e6;    /* a clock tick of the kernel and more */
static const long SETTLE_NS = 300000; /* OpenMP's waiting threads have stopped */
static const long PEER_NS = 1500000;  /* so have oneTBB's, which look for work for 1 ms */

void gb_settle(bool is_peer)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = is_peer ? PEER_NS : SETTLE_NS }, NULL);
}

double gb_sleep_ns(int process, bool is_peer)
{
	const struct timespec pause = { .tv_nsec = (long)TICK_NS };
	double start_ns;

	gb_settle(is_peer);
	start_ns = gb_cpu_ns(process);
	(void)nanosleep(&pause, NULL);
	return gb_cpu_ns(process) - start_ns;
}

/* True if another thread of this process runs, or would with a processor (proc_pid_stat). */
static bool others_run(void)
{
	const long self = gettid();
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	bool found = false;

	while (folder && !found && (entry = readdir(folder))) {
		const long thread = strtol(entry->d_name, NULL, 10);
		char path[48], text[128] = "";
		const char *state;
		FILE *file;

		(void)snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
		file = thread > 0 && thread != self ? fopen(path, "re") : NULL;
		if (!file)
			continue;
		text[fread(text, 1, sizeof text - 1, file)] = '\0';
		(void)fclose(file);
		state = strrchr(text, ')');
		found = state && strncmp(state, ") R", 3) == 0;
	}
	if (folder)
		(void)closedir(folder);
	return found;
}

/* On a loaded machine, a thread that is about to sleep may have to wait for a processor. */
bool gb_threads_spin(void)
{
	static enum { UNKNOWN, SPIN, STOP } known;

	if (known == UNKNOWN) {
#pragma omp parallel
		__asm__ volatile("");
		known = SPIN;
		for (int i = 0; i < 10 && known == SPIN; i++) {
			(void)gb_sleep_ns(0, false);
			known = others_run() ? SPIN : STOP;
		}
	}
	return known == SPIN;
}

double gb_read_usage(struct gb_usage *usage, int process)
{
	const double start_ns = gb_cpu_ns(process);
	char tasks[32] = "/proc/self/task";
	const struct dirent *entry;
	DIR *folder;

	usage->count = 0;
	if (process)
		(void)snprintf(tasks, sizeof tasks, "/proc/%d/task", process);
	folder = opendir(tasks);
	while (folder && usage->count < GB_COUNT(usage->of) && (entry = readdir(folder))) {
		char path[64];
		double ns = 0, delay_ns = 0;
		FILE *file;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		(void)snprintf(path, sizeof path, "%s/%.20s/schedstat", tasks, entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%lf %lf", &ns, &delay_ns) == 2) {
			usage->of[usage->count].thread = strtol(entry->d_name, NULL, 10);
			usage->of[usage->count].delay_ns = delay_ns;
			usage->of[usage->count++].ns = ns;
		}
		(void)fclose(file);
	}
	if (folder)
		(void)closedir(folder);
	return gb_cpu_ns(process) - start_ns;
}

double gb_delay_ns(int process, double *reading_ns)
{
	static struct gb_usage now;
	double sum = 0;

	*reading_ns = gb_read_usage(&now, process);
	for (size_t i = 0; i < now.count; i++)
		sum += now.of[i].delay_ns;
	return sum;
}

size_t gb_busy_threads(const struct gb_usage *before, const struct gb_usage *after, double cpu_ns)
{
	size_t busy = 0;

	for (size_t i = 0; i < after->count; i++) {
		double ns = after->of[i].ns;

		for (size_t k = 0; k < before->count; k++)
			if (before->of[k].thread == after->of[i].thread)
				ns -= before->of[k].ns;
		busy += ns > fmax(cpu_ns / 20, 0.5e6);
	}
	return busy;
}
