/* evidence.c -- changes the input, overwrites results, verifies, and times whole runs. */
#include "cli/measuring/evidence.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/plugins/remote.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/text.h"

/* The process that a variant runs in; 0: this one. */
static int process_of(const struct gb_measurement *m)
{
	return m->backend->remote ? m->backend->remote->process(m->state) : 0;
}

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

/* CPU time of this thread. */
static double thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double gb_variant_cpu_ns(const struct gb_measurement *m)
{
	return gb_cpu_ns(process_of(m));
}

/* Run a step between two marks and keep its time. */
static enum gb_status timed_step(struct gb_measurement *m,
				 enum gb_status (*op)(struct gb_measurement *m),
				 struct gb_series *series)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);
	double ns;

	gb_timer_begin(&m->timer);
	if (op(m))
		return m->err->code;
	gb_timer_end(&m->timer);
	if (m->backend->synchronize(m->err) || gb_timer_read(&m->timer, &ns, none, &phases))
		return m->err->code;
	return gb_series_push(series, ns, m->err);
}

static enum gb_status copy_input(struct gb_measurement *m)
{
	return (m->ops->copy ? m->ops->copy : m->ops->upload)(m->state, m->err);
}

static enum gb_status copy_output(struct gb_measurement *m)
{
	return m->ops->download(m->state, m->output, m->err);
}

static enum gb_status timed_download(struct gb_measurement *m)
{
	return timed_step(m, copy_output, &m->result->download);
}

enum gb_status gb_transfer(struct gb_measurement *m)
{
	return timed_step(m, copy_input, &m->result->upload) ? m->err->code : timed_download(m);
}

/* ---- clocks of steps outside run() --------------------------------------------------------- */

static const double TICK_NS = 6e6;    /* a clock tick of the kernel and more */
static const long SETTLE_NS = 300000; /* OpenMP's waiting threads have stopped */
static const long PEER_NS = 1500000;  /* so have oneTBB's, which look for work for 1 ms */

/* Wait until waiting threads sleep, when the kernel adds up their CPU time. */
static void settle(bool is_peer)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = is_peer ? PEER_NS : SETTLE_NS }, NULL);
}

/* CPU time of a process while this thread sleeps. */
static double sleep_ns(int process, bool is_peer)
{
	const struct timespec pause = { .tv_nsec = (long)TICK_NS };
	double start_ns;

	settle(is_peer);
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
			(void)sleep_ns(0, false);
			known = others_run() ? SPIN : STOP;
		}
	}
	return known == SPIN;
}

/* CPU time of each thread of the process (proc_pid_schedstat in Linux's documentation). */
struct usage {
	size_t count;
	struct {
		long thread;
		double ns;
		double delay_ns; /* it was ready, but had no processor */
	} of[256];
};

/* Return the CPU time of the process that reading has taken. */
static double read_usage(struct usage *usage, int process)
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

/* Time that threads of the variant's process have waited for a processor, all together.
 * *reading_ns is the CPU time of the process that reading has taken. */
static double delay_ns(const struct gb_measurement *m, double *reading_ns)
{
	static struct usage now;
	double sum = 0;

	*reading_ns = read_usage(&now, process_of(m));
	for (size_t i = 0; i < now.count; i++)
		sum += now.of[i].delay_ns;
	return sum;
}

/* A clock for steps: CPU time, which other programs do not lengthen; wall time on a device, or, if
 * waiting threads of OpenMP spin, without the waits for a processor of them all. */
static double step_ns(const struct gb_measurement *m)
{
	double unused;

	if (m->backend->fill)
		return gb_now_ns();
	return gb_threads_spin() ? gb_now_ns() - delay_ns(m, &unused) : gb_cpu_ns(process_of(m));
}

/* The same between two steps. */
static double settled_ns(const struct gb_measurement *m)
{
	if (!m->backend->fill && !gb_threads_spin())
		settle(m->result->variant->peer);
	return step_ns(m);
}

enum gb_status gb_watch(struct gb_measurement *m, enum gb_step step,
			enum gb_status (*op)(struct gb_measurement *m))
{
	const bool is_watched = m->backend->remote && !m->backend->fill && !gb_threads_spin();
	struct gb_evidence *e = &m->evidence;
	double start_ns;

	if (!is_watched)
		return op(m);
	start_ns = e->seen_ns > 0 ? e->seen_ns : settled_ns(m);
	if (op(m))
		return m->err->code;
	e->seen_ns = settled_ns(m);
	return gb_series_push(&e->watched[step], e->seen_ns - start_ns, m->err);
}

/* ---- the input ---------------------------------------------------------------------------- */

/* Replace what is in memory by variation `key`. */
static void put_variation(struct gb_measurement *m, uint64_t key)
{
	struct gb_evidence *e = &m->evidence;

	if (!m->result->workload->vary || e->in_memory == key)
		return;
	e->varies = m->result->workload->vary(m->result->params, m->input, key);
	e->in_memory = key;
	e->stale = true;
}

/* Wait for work that a step has queued on a device. */
static enum gb_status drain(struct gb_measurement *m)
{
	return m->backend->fill ? m->backend->synchronize(m->err) : GB_OK;
}

/* Let the process of a plug-in copy what is in memory. */
static enum gb_status show_input(struct gb_measurement *m)
{
	const struct gb_remote_ops *remote = m->backend->remote;
	double start_ns;

	if (!remote)
		return GB_OK;
	start_ns = step_ns(m);
	if (remote->show(m->state, m->err))
		return m->err->code;
	m->evidence.seen_ns = step_ns(m);
	return gb_series_push(&m->evidence.show,
			      m->evidence.seen_ns - start_ns - 4 * remote->copy_ns(m->state),
			      m->err);
}

static enum gb_status upload(struct gb_measurement *m)
{
	if (m->ops->upload && (m->ops->upload(m->state, m->err) || drain(m)))
		return m->err->code;
	return GB_OK;
}

/* Let upload() see what is in memory. */
static enum gb_status renew_state(struct gb_measurement *m, bool watched)
{
	struct gb_evidence *e = &m->evidence;
	double start_ns;

	if (!e->stale)
		return GB_OK;
	if (show_input(m))
		return m->err->code;
	start_ns = step_ns(m);
	if (watched ? gb_watch(m, GB_STEP_UPLOAD, upload) : upload(m))
		return m->err->code;
	if (m->ops->upload && !watched)
		e->seen_ns = 0;
	e->upload_ns = fmin(e->upload_ns, step_ns(m) - start_ns);
	e->stale = false;
	return GB_OK;
}

enum gb_status gb_renew_input(struct gb_measurement *m, bool change)
{
	struct gb_evidence *e = &m->evidence;
	const double start_ns = gb_now_ns();

	if (change)
		put_variation(m, gb_secret() | 1);
	if (!change && !e->stale)
		return GB_OK;
	e->variation = e->in_memory;
	if (renew_state(m, change && m->result->cold))
		return m->err->code;
	if (change)
		e->vary_ns = gb_now_ns() - start_ns;
	if (change && m->backend->fill) {
		put_variation(m, gb_secret() | 1);
		e->stale = false; /* the device keeps what it has */
		if (m->backend->remote)
			(void)m->backend->remote->show(m->state, m->err);
	}
	return m->err->code;
}

void gb_rewrite_input(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;

	if (!e->varies)
		return;
	e->in_memory = ~e->variation;
	put_variation(m, e->variation);
}

void gb_restore_input(struct gb_measurement *m)
{
	if (m->input)
		put_variation(m, 0);
}

/* ---- results ------------------------------------------------------------------------------ */

/* 128 .. 254 */
static unsigned char next_poison(void)
{
	return (unsigned char)(128 + gb_secret() % 127);
}

bool gb_is_poisoned(const struct gb_measurement *m, const struct gb_manner *how)
{
	const bool varies = how->changed && m->evidence.varies;

	if (m->how->no_verify)
		return how->verified;
	/* Without variations, poison is all there is. */
	if (m->result->cold || (how->verified && !varies))
		return true;
	/* Variations of a small input may have equal results: poison at least one verified run. */
	if (how->verified && m->result->verified >= 2 && !m->evidence.overwrote)
		return true;
	/* Runs whose times are compared find the result in the same caches. */
	return varies && !how->delays && gb_secret() % 2;
}

enum gb_status gb_poison_result(struct gb_measurement *m)
{
	if (m->backend->remote)
		return m->backend->remote->poison(m->state, next_poison(), m->err);
	return gb_memory_poison(m->state, next_poison(), m->backend->fill, m->err);
}

/* Download the result; meanwhile the input is another one, unless it is the original. */
static enum gb_status fetch(struct gb_measurement *m)
{
	const uint64_t variation = m->evidence.variation;
	double start_ns;

	if (variation)
		put_variation(m, gb_secret() | 1);
	if (renew_state(m, false))
		return m->err->code;
	start_ns = thread_ns();
	memset(m->output, next_poison(), m->output_size);
	if (gb_series_push(&m->evidence.fill, thread_ns() - start_ns, m->err) ||
	    gb_watch(m, GB_STEP_DOWNLOAD, timed_download))
		return m->err->code;
	m->evidence.seen_ns = 0;
	if (variation)
		put_variation(m, variation);
	return GB_OK;
}

enum gb_status gb_verify_run(struct gb_measurement *m)
{
	struct gb_result *r = m->result;
	struct gb_metrics unused = { 0 };
	struct gb_metrics *metrics = m->evidence.variation ? &unused : &r->metrics;
	const double start_ns = gb_now_ns();

	if (m->how->no_verify)
		return GB_OK;
	if (fetch(m))
		return m->err->code;
	if (r->workload->verify(r->params, m->input, m->runs - 1, m->output, metrics, m->err)) {
		r->verdict = GB_FAIL;
		return m->err->code;
	}
	if (m->ops->metrics)
		m->ops->metrics(m->state, metrics);
	r->verdict = GB_PASS;
	r->verified++;
	m->evidence.verify_ns += gb_now_ns() - start_ns;
	return GB_OK;
}

/* ---- whole runs --------------------------------------------------------------------------- */

bool gb_cpu_time_tells(const struct gb_measurement *m)
{
	return !m->backend->fill && !m->result->variant->peer && !gb_threads_spin();
}

void gb_use_begin(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;
	double unused;

	if (gb_cpu_time_tells(m))
		settle(false);
	e->delay_ns = -delay_ns(m, &unused);
	e->worked_ns = -gb_cpu_ns(process_of(m));
}

void gb_use_end(struct gb_measurement *m, int64_t batch)
{
	struct gb_evidence *e = &m->evidence;
	double reading_ns;

	e->delay_ns = (e->delay_ns + delay_ns(m, &reading_ns)) / (double)batch;
	if (gb_cpu_time_tells(m))
		settle(false);
	e->worked_ns += gb_cpu_ns(process_of(m)) - reading_ns;
	e->worked_ns /= fmax(1, m->result->threads) * (double)batch;
	if (!gb_cpu_time_tells(m))
		e->worked_ns = 0;
}

/* The number of threads that have worked between two readings, for more than a twentieth of the CPU
 * time and more than a waiting thread of OpenMP spins. */
static size_t count_busy(const struct usage *before, const struct usage *after, double cpu_ns)
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

static enum gb_status reset(struct gb_measurement *m)
{
	if (m->ops->reset && m->ops->reset(m->state, m->runs, m->err))
		return m->err->code;
	m->runs++;
	return GB_OK;
}

static enum gb_status run(struct gb_measurement *m)
{
	m->timer.phases = false;
	gb_timer_begin(&m->timer);
	(void)m->ops->run(m->state, &m->timer, m->err);
	return m->err->code; /* also if the mark failed */
}

/* Prepare a run that is not a sample. */
static enum gb_status begin(struct gb_measurement *m)
{
	(void)(renew_state(m, false) || gb_poison_result(m) || m->backend->synchronize(m->err));
	m->evidence.seen_ns = 0;
	return m->err->code;
}

/* Do a step, add its duration to *whole, and keep its time.  *from is the clock of steps before it,
 * then after it. */
static enum gb_status do_step(struct gb_measurement *m,
			      enum gb_status (*op)(struct gb_measurement *m), double *from,
			      struct gb_series *series, double *whole)
{
	const double start_ns = gb_now_ns(), before = *from;

	if (op(m) || drain(m))
		return m->err->code;
	*whole += gb_now_ns() - start_ns;
	*from = settled_ns(m);
	return gb_series_push(series, *from - before, m->err);
}

/* Read the usage between two steps, without a pause in which a thread could work unseen.  Return
 * the CPU time that this takes. */
static double read_between(const struct gb_measurement *m, struct usage *usage, double *from)
{
	const double reading_ns = read_usage(usage, process_of(m));

	*from = m->backend->fill || gb_threads_spin() ? step_ns(m) : *from + reading_ns;
	return reading_ns;
}

enum gb_status gb_whole_run(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;
	static struct usage before, after;
	double whole_ns = 0, from, cpu_ns, start_ns;

	if (begin(m))
		return m->err->code;
	from = settled_ns(m);
	cpu_ns = gb_cpu_ns(process_of(m));
	if (do_step(m, reset, &from, &e->reset, &whole_ns))
		return m->err->code;
	cpu_ns += read_between(m, &before, &from);
	start_ns = whole_ns;
	if (do_step(m, run, &from, &e->run, &whole_ns) ||
	    gb_series_push(&e->running, whole_ns - start_ns, m->err))
		return m->err->code;
	cpu_ns += read_between(m, &after, &from);
	if (do_step(m, copy_output, &from, &e->download, &whole_ns))
		return m->err->code;
	cpu_ns = gb_cpu_ns(process_of(m)) - cpu_ns;
	e->busy = count_busy(&before, &after, cpu_ns);
	if (gb_series_push(&e->whole, whole_ns, m->err))
		return m->err->code;
	return gb_series_push(&e->cpu, cpu_ns, m->err);
}

long gb_children(struct gb_measurement *m)
{
	struct rusage usage;
	siginfo_t info;

	if (m->backend->remote)
		return m->backend->remote->children(m->state, m->err);
	(void)getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt + !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

enum gb_status gb_broken_run(struct gb_measurement *m)
{
	const bool is_peer = m->result->variant->peer;
	double idle_ns;

	if (gb_renew_input(m, true))
		return m->err->code;
	idle_ns = sleep_ns(process_of(m), is_peer);
	if (begin(m) || reset(m))
		return m->err->code;
	idle_ns = fmax(idle_ns, sleep_ns(process_of(m), is_peer));
	if (run(m))
		return m->err->code;
	idle_ns = fmax(idle_ns, sleep_ns(process_of(m), is_peer));
	if (m->backend->synchronize(m->err) || copy_output(m))
		return m->err->code;
	m->evidence.between_ns = fmin(m->evidence.between_ns, idle_ns);
	return GB_OK;
}

void gb_evidence_release(struct gb_evidence *e)
{
	free(e->fill.value);
	free(e->verified.value);
	free(e->changed.value);
	free(e->same.value);
	free(e->unseen.value);
	free(e->alone.value);
	free(e->between.value);
	for (int i = 0; i < GB_STEPS; i++)
		free(e->watched[i].value);
	for (int i = 0; i < 2; i++)
		free(e->worked[i].value);
	free(e->show.value);
	free(e->reset.value);
	free(e->run.value);
	free(e->running.value);
	free(e->download.value);
	free(e->whole.value);
	free(e->cpu.value);
}
