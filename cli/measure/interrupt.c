/* interrupt.c -- ends work that a signal would have to wait for. */
#include "cli/measure/interrupt.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/status.h"

enum { PATIENCE_US = 500000, FINISH_US = 300000 };

volatile sig_atomic_t gb_interrupted;

static struct {
	volatile sig_atomic_t under_way, left;
	atomic_int stopped; /* other threads */
	pthread_t thread;   /* that works */
	sigjmp_buf place;   /* and goes on here */
} job;

bool gb_was_left(void)
{
	return job.left;
}

static void alarm_in(long us)
{
	const struct itimerval soon = { .it_value.tv_usec = us };

	(void)setitimer(ITIMER_REAL, &soon, NULL);
}

/* The alarm of the timer comes to any thread; another thread's, to the one that it is for. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
	static const char said[] = "gpubench: interrupted\n";
	const bool works = pthread_equal(pthread_self(), job.thread);

	(void)context;
	if (info->si_code != SI_TKILL && job.left) {
		(void)!write(STDERR_FILENO, said, sizeof said - 1);
		_exit(GB_EINTERRUPTED);
	}
	if (job.left && !works) {
		job.stopped++;
		for (;;)
			(void)pause(); /* all signals are blocked */
	}
	if (!job.under_way)
		return;
	if (!works) {
		(void)pthread_kill(job.thread, number);
		return;
	}
	job.under_way = 0;
	job.left = 1;
	alarm_in(FINISH_US);
	siglongjmp(job.place, 1);
}

void gb_interrupt(void)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART };

	gb_interrupted = 1;
	(void)sigfillset(&action.sa_mask);
	(void)sigaction(SIGALRM, &action, NULL);
	alarm_in(PATIENCE_US);
}

/* Stop the other threads, which may use the memory of the work.  Some may block signals. */
static void stop_others(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	int others = 0;

	while (tasks && (entry = readdir(tasks))) {
		const long thread = strtol(entry->d_name, NULL, 10);

		others += thread > 0 && thread != syscall(SYS_gettid) &&
			  !syscall(SYS_tgkill, getpid(), thread, SIGALRM);
	}
	if (tasks)
		(void)closedir(tasks);
	for (int ms = 0; ms < 50 && job.stopped < others; ms++)
		(void)nanosleep(&pause, NULL);
}

bool gb_ends(void (*work)(void *self), void *self)
{
	job.thread = pthread_self();
	if (sigsetjmp(job.place, 1)) {
		stop_others();
		return false;
	}
	job.under_way = 1;
	if (gb_interrupted) { /* the alarm may have come before */
		job.under_way = 0;
		return false;
	}
	work(self);
	job.under_way = 0;
	return true;
}
