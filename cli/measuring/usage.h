/* usage.h -- the CPU time of processes and their threads, and the time that these wait for a
 * processor, as the kernel counts them.  Process 0 is this one; times are in ns.
 */
#ifndef GPUBENCH_CLI_MEASURING_USAGE_H
#define GPUBENCH_CLI_MEASURING_USAGE_H

#include <stdbool.h>
#include <stddef.h>

/* CPU time of a process, all threads together. */
double gb_cpu_ns(int process);
/* CPU time of this thread. */
double gb_thread_ns(void);

/* Wait until waiting threads sleep, when the kernel adds up their CPU time. */
void gb_settle(bool is_peer);
/* CPU time of a process while this thread sleeps. */
double gb_sleep_ns(int process, bool is_peer);

/* True if OpenMP's waiting threads spin for milliseconds (OMP_WAIT_POLICY=active, or LLVM's
 * OpenMP): then nothing can be said of threads that work.  The first call decides, so no variant
 * may have run before it. */
bool gb_threads_spin(void);

/* CPU time of each thread of a process (proc_pid_schedstat in Linux's documentation). */
struct gb_usage {
	size_t count;
	struct {
		long thread;
		double ns;
		double delay_ns; /* it was ready, but had no processor */
	} of[256];
};

/* Return the CPU time of the process that reading has taken. */
double gb_read_usage(struct gb_usage *usage, int process);
/* Time that threads of the process have waited for a processor, all together.  *reading_ns is the
 * CPU time of the process that reading has taken. */
double gb_delay_ns(int process, double *reading_ns);
/* The number of threads that have worked between two readings, for more than a twentieth of the CPU
 * time and more than a waiting thread of OpenMP spins. */
size_t gb_busy_threads(const struct gb_usage *before, const struct gb_usage *after, double cpu_ns);

#endif
