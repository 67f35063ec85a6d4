/* virtual_machine.c -- see virtual_machine.h. */
#include "tests/cli/measuring/virtual_machine.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EPISODE = 8, MOST_TICKS = 8 };

/* Time on the host, in ns, of what is not a run. */
static const double CLOCK_NS = 25, WAIT_NS = 3000, FLUSH_NS = 50e3, HOLD_MOST_NS = 1e7;
static const double CLOCK_HZ = 1.5e9, LOWERED = 0.7;

struct virtual_state vm;
FILE *(*virtual_open)(const char *path);

/* ---- the system --------------------------------------------------------------------------- */

/* The runner's secret key is the same in every simulation. */
ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
	if (!vm.is_running)
		return syscall(SYS_getrandom, buffer, length, flags);
	memset(buffer, 0x5a, length);
	return (ssize_t)length;
}

static double read_clock(void);
static void pass(double ns);

/* The machine's clock and its CPU time; other processes have none. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);

	if (vm.is_running && (clock <= CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_REALTIME)) {
		const bool is_ours = clock >= 0 || ~(clock >> 3) == getpid();
		const double ns = clock == CLOCK_MONOTONIC ? read_clock() : is_ours ? vm.cpu_ns : 0;

		now->tv_sec = (time_t)(ns / 1e9);
		now->tv_nsec = (long)(ns - 1e9 * (double)now->tv_sec);
		return 0;
	}
	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	return real(clock, now);
}

/* Times of real threads are hidden, but for the waits of the main thread on a loaded machine: those
 * of the variant's threads together. */
static bool hides_threads(void)
{
	return vm.is_running && !(vm.machine.process.load > 0);
}

DIR *opendir(const char *path)
{
	static DIR *(*real)(const char *);

	if (hides_threads())
		return NULL;
	if (!real)
		real = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
	return real(path);
}

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);
	char main_thread[64];

	if (!real)
		real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	if (virtual_open)
		return virtual_open(path);
	if (!vm.is_running || !strstr(path, "/schedstat"))
		return real(path, mode);
	(void)snprintf(main_thread, sizeof main_thread, "/%d/schedstat", (int)getpid());
	(void)snprintf(vm.waits, sizeof vm.waits, "%.0f %.0f 1", 0.0,
		       strstr(path, main_thread) ? vm.waited_ns : 0);
	return fmemopen(vm.waits, strlen(vm.waits), "r");
}

/* A pause takes no real time. */
int nanosleep(const struct timespec *pause, struct timespec *rest)
{
	if (!vm.is_running)
		return (int)syscall(SYS_nanosleep, pause, rest);
	virtual_note(VIRTUAL_PAUSE);
	pass((double)pause->tv_sec * 1e9 + (double)pause->tv_nsec);
	return 0;
}

void virtual_note(enum virtual_event event)
{
	if (vm.logged + 1 < sizeof vm.log)
		vm.log[vm.logged++] = (char)event;
}

enum gb_status virtual_call(enum virtual_event event, struct gb_error *err)
{
	virtual_note(event);
	vm.late += err->code != GB_OK;
	if (++vm.calls != vm.machine.fails_at)
		return GB_OK;
	vm.failed = event;
	if (!vm.machine.interrupts)
		return gb_fail(err, GB_ERUNTIME, "a call fails");
	gb_interrupted = 1;
	return GB_OK;
}

size_t virtual_calls(void)
{
	return vm.calls;
}

size_t virtual_late(void)
{
	return vm.late;
}

enum virtual_event virtual_failed(void)
{
	return vm.failed;
}

const char *virtual_log(void)
{
	return vm.log;
}

/* ---- time --------------------------------------------------------------------------------- */

/* Let time pass, in which the thread in the background works. */
static void pass(double ns)
{
	const double worked = fmin(ns, vm.background);

	vm.now += ns;
	vm.background -= worked;
	vm.cpu_ns += worked;
}

static double read_clock(void)
{
	virtual_note(VIRTUAL_CLOCK);
	pass(CLOCK_NS);
	return vm.now;
}

void virtual_join(void)
{
	pass(vm.background);
}

void virtual_spend_host(double ns)
{
	pass(ns);
	vm.cpu_ns += ns;
}

/* The time that threads wait for a processor while they work for ns. */
static double wait_for_processor(double ns)
{
	const double load = vm.machine.process.load;

	return load > 0 ? -load * ns * log1p(-virtual_uniform(&vm.random)) : 0;
}

void virtual_spend(double ns)
{
	if (vm.held) {
		vm.queued += ns;
	} else if (vm.machine.device) {
		vm.stream_end = fmax(vm.now, vm.stream_end) + ns;
	} else {
		const double threads = (double)vm.machine.threads;
		const double waits = wait_for_processor(ns);

		pass(ns + waits);
		vm.cpu_ns += ns * threads;
		vm.waited_ns += waits * threads;
	}
}

/* End the hold: what is queued starts. */
static void release(void)
{
	const double start = fmax(vm.now, vm.stream_end);

	for (size_t i = 0; i < GB_MAX_MARKS; i++)
		if (vm.mark[i].held)
			vm.mark[i] = (struct virtual_mark){ start + vm.mark[i].at, false };
	vm.stream_end = start + vm.queued;
	vm.queued = 0;
	vm.held = false;
}

void virtual_wait(void)
{
	if (vm.held) {
		pass(HOLD_MOST_NS);
		vm.has_held = false;
		release();
	}
	vm.now = fmax(vm.now, fmax(vm.stream_end, vm.other_end)) + WAIT_NS;
}

double virtual_draw(void)
{
	const struct virtual_process *p = &vm.machine.process;
	struct virtual_random *r = &vm.random;
	double ns = p->run_ns * (vm.cached && p->hot > 0 ? p->hot : 1);

	vm.noise = p->correlation * vm.noise +
		   sqrt(1 - p->correlation * p->correlation) * p->noise * virtual_normal(r);
	ns *= exp(vm.noise + p->drift * (double)vm.runs);
	if (virtual_uniform(r) < p->tail)
		ns *= fmin(pow(1 - virtual_uniform(r), -0.7), 1000);
	if (vm.episode == 0 && virtual_uniform(r) < p->throttled)
		vm.episode = EPISODE;
	if (vm.episode > 0) {
		vm.episode--;
		ns /= LOWERED;
		vm.throttled_ns += ns;
	}
	if (vm.machine.distinct > 1)
		ns *= (double)(1 + vm.sample % vm.machine.distinct);
	ns += vm.runs == 0 ? p->first_ns : 0;
	vm.runs++;
	vm.cached = true;
	return ns;
}

/* ---- the timer ---------------------------------------------------------------------------- */

static enum gb_status create_timer(void **clock, struct gb_error *err)
{
	*clock = vm.mark;
	return GB_OK;
}

static void destroy_timer(void *clock)
{
}

static enum gb_status take_mark(void *clock, size_t index, struct gb_error *err)
{
	if (virtual_call(index ? VIRTUAL_MARK : VIRTUAL_BEGIN, err))
		return err->code;
	pass(vm.runs == 0 && index == 0 ? vm.machine.process.late_ns : 0);
	vm.mark[index] = (struct virtual_mark){ vm.held             ? vm.queued
						: vm.machine.device ? fmax(vm.now, vm.stream_end)
								    : vm.now,
						vm.held };
	return GB_OK;
}

static double tick_ns(void)
{
	return vm.machine.process.tick_ns > 0 ? vm.machine.process.tick_ns : 1;
}

static double on_tick(double at)
{
	return vm.machine.process.tick_ns > 0 ? floor(at / tick_ns()) * tick_ns() : at;
}

static enum gb_status elapsed(void *clock, size_t first, size_t last, double *ns,
			      struct gb_error *err)
{
	if (virtual_call(VIRTUAL_READ, err))
		return err->code;
	*ns = on_tick(vm.mark[last].at) - on_tick(vm.mark[first].at);
	return GB_OK;
}

/* A clock for each resolution, because the runner remembers the resolution of a clock. */
static const struct gb_timer_ops *timer_of(double tick)
{
	static struct gb_timer_ops timer[MOST_TICKS];
	static double ticks[MOST_TICKS];
	size_t i = 0;

	while (timer[i].name && (ticks[i] < tick || ticks[i] > tick))
		if (++i == MOST_TICKS)
			abort();
	ticks[i] = tick;
	timer[i] = (struct gb_timer_ops){ .name = "virtual",
					  .least_ns = tick_ns,
					  .create = create_timer,
					  .mark = take_mark,
					  .elapsed = elapsed,
					  .destroy = destroy_timer };
	return &timer[i];
}

/* ---- the back end ------------------------------------------------------------------------- */

static enum gb_status open_device(int number, struct gb_error *err)
{
	return GB_OK;
}

static size_t buffer_bytes; /* the flush's, made by the first one */

/* A device's flush is queued, like work. */
static enum gb_status flush(struct gb_error *err)
{
	buffer_bytes = 1 << 20;
	if (virtual_call(VIRTUAL_FLUSH, err))
		return err->code;
	virtual_spend_host(VIRTUAL_CALL_NS);
	virtual_spend(vm.machine.flush_ns > 0 ? vm.machine.flush_ns : FLUSH_NS);
	vm.cached = false;
	return GB_OK;
}

static size_t flush_bytes(void)
{
	return buffer_bytes;
}

static enum gb_status synchronize(struct gb_error *err)
{
	if (virtual_call(VIRTUAL_SYNCHRONIZE, err))
		return err->code;
	if (vm.machine.device)
		virtual_wait();
	return GB_OK;
}

static enum gb_status fill(void *array, unsigned char byte, size_t bytes, struct gb_error *err)
{
	if (virtual_call(VIRTUAL_POISON, err))
		return err->code;
	memset(array, byte, bytes);
	virtual_spend(VIRTUAL_CALL_NS);
	virtual_wait();
	return GB_OK;
}

static enum gb_status hold(struct gb_error *err)
{
	if (virtual_call(VIRTUAL_HOLD, err))
		return err->code;
	virtual_spend_host(VIRTUAL_LAUNCH_NS);
	vm.held = vm.has_held = true;
	return GB_OK;
}

static enum gb_status let_go(struct gb_error *err)
{
	if (virtual_call(VIRTUAL_LET_GO, err))
		return err->code;
	virtual_spend_host(VIRTUAL_CALL_NS);
	if (vm.held)
		release();
	return GB_OK;
}

static bool has_held(void)
{
	virtual_note(VIRTUAL_HELD);
	return vm.has_held;
}

static double sm_clock_hz(void)
{
	return vm.episode ? LOWERED * CLOCK_HZ : CLOCK_HZ;
}

static double throttled_ns(void)
{
	return vm.throttled_ns;
}

static bool is_emulated(void)
{
	return vm.machine.emulated;
}

static void read_state(struct gb_gpu_state *state)
{
	*state = (struct gb_gpu_state){ .energy_j = vm.now, .throttled_ns = vm.throttled_ns };
}

static uint64_t cache_bytes(const char **from)
{
	return vm.machine.cache_bytes;
}

static void count(bool on)
{
	virtual_note(on ? VIRTUAL_COUNT : VIRTUAL_COUNTED);
}

static struct gb_counter counter = { .count = count };
static struct gb_backend_ops cpu = { .name = "virtual cpu",
				     .open = open_device,
				     .flush = flush,
				     .flush_bytes = flush_bytes,
				     .flush_passes = 2,
				     .synchronize = synchronize };
static struct gb_backend_ops device = { .name = "virtual device",
					.open = open_device,
					.flush = flush,
					.flush_bytes = flush_bytes,
					.flush_passes = 2,
					.fill = fill,
					.hold = hold,
					.let_go = let_go,
					.has_held = has_held,
					.synchronize = synchronize,
					.sm_clock_hz = sm_clock_hz,
					.is_emulated = is_emulated,
					.state = read_state,
					.throttled_ns = throttled_ns };

const struct gb_backend_ops *virtual_backend(void)
{
	struct gb_backend_ops *backend = vm.machine.device ? &device : &cpu;

	backend->remote = vm.machine.remote ? &virtual_remote : NULL;
	backend->cache_bytes = vm.machine.cache_bytes ? cache_bytes : NULL;
	backend->timer = timer_of(vm.machine.process.tick_ns);
	counter.counts = vm.machine.counts;
	device.counter = counter.counts ? &counter : NULL;
	return backend;
}
