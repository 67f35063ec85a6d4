/* sorts.c -- a plug-in whose sorts of u32 keys misbehave, for tests/plugins.py. */
#include <gpubench/plugin.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct state {
	const struct radix_input *input;
	uint32_t *keys;
};

static int order(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct radix_input *)input;
	if (s->input->type != RADIX_U32)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 only");
	s->keys = (uint32_t *)gb_host_alloc(s->input->count, sizeof *s->keys, err);
	gb_memory_result(s->keys, GB_WHOLE, GB_POISON);
	return err->code;
}

static enum gb_status sort(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)err;
	gb_phase(timer, "copy");
	memcpy(s->keys, s->input->keys, s->input->count * sizeof *s->keys);
	gb_phase(timer, "sort");
	qsort(s->keys, s->input->count, sizeof *s->keys, order);
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)err;
	memcpy(output, s->keys, s->input->count * sizeof *s->keys);
	return GB_OK;
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	(void)state;
	gb_metric(metrics, "touched_bytes", 1000);
}

/* ---- what each does besides ---------------------------------------------------------------- */

#define MISBEHAVES(name, ...)                                                                 \
	static enum gb_status name(void *state, struct gb_timer *timer, struct gb_error *err) \
	{                                                                                     \
		__VA_ARGS__;                                                                  \
		return sort(state, timer, err);                                               \
	}

MISBEHAVES(crash, raise(SIGSEGV))
MISBEHAVES(hang, for (;;) pause())
MISBEHAVES(leave, _exit(0))
MISBEHAVES(quit, exit(0))
MISBEHAVES(closes, for (int i = 0; i < 3; i++) close(i))
MISBEHAVES(unlinked, for (int i = 3; i < 20; i++) close(i))
MISBEHAVES(prints, static const char text[] = "{\"type\":\"record\"}\n";
	   if (write(1, text, sizeof text - 1) < 0) abort())
MISBEHAVES(greedy, volatile char *much = (volatile char *)malloc((size_t)1 << 30); much[0] = 1)
MISBEHAVES(forks, if (fork() < 0) return gb_fail(err, GB_ERUNTIME, "no process"))
MISBEHAVES(kills, kill(getppid(), 0))
MISBEHAVES(fails, return gb_fail(err, GB_ERUNTIME, "as it likes\033[31m\xff"))

/* Write to the judge's board while it reads it. */
static void *scribble(void *board)
{
	for (size_t i = 0;; i++)
		((volatile unsigned char *)board)[i * 97 % (64 << 10)] = 0xff;
	return NULL;
}

static void start_scribbling(void)
{
	void *board = mmap(NULL, 64 << 10, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
	static pthread_t thread;

	if (board != MAP_FAILED && !thread)
		(void)pthread_create(&thread, NULL, scribble, board);
}

MISBEHAVES(scribbles, start_scribbling())
MISBEHAVES(answers, static char message[8192]; (void)send(3, message, 8, 0))

static void *wait_forever(void *unused)
{
	(void)unused;
	for (;;)
		(void)pause();
	return NULL;
}

static enum gb_status start_many(struct gb_error *err)
{
	pthread_attr_t small;
	pthread_t thread;

	(void)pthread_attr_init(&small);
	(void)pthread_attr_setstacksize(&small, 16384);
	for (int i = 0; i < 100000; i++)
		if (pthread_create(&thread, &small, wait_forever, NULL))
			return gb_fail(err, GB_ERUNTIME, "no thread");
	return GB_OK;
}

MISBEHAVES(swarms, if (start_many(err)) return err->code)
MISBEHAVES(leaks, if (mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
			   0) == MAP_FAILED) return gb_fail(err, GB_ERUNTIME, "no memory"))

static enum gb_status nothing(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	(void)err;
	return GB_OK;
}

/* Replace the C library's clock by one that runs a thousand times slower (x86-64). */
static int slow_clock(clockid_t clock, struct timespec *now)
{
	const long status = syscall(SYS_clock_gettime, clock, now);
	const long ns = (now->tv_sec % 100000 * 1000000000 + now->tv_nsec) / 1000;

	now->tv_sec = ns / 1000000000;
	now->tv_nsec = ns % 1000000000;
	return (int)status;
}

static void patch_clock(void)
{
	unsigned char *code = (unsigned char *)dlsym(RTLD_DEFAULT, "clock_gettime");
	void *page = (void *)((uintptr_t)code & ~(uintptr_t)4095);
	const unsigned char jump[] = { 0x48, 0xb8 }, end[] = { 0xff, 0xe0 }; /* mov rax; jmp rax */
	const uintptr_t to = (uintptr_t)&slow_clock;

	if (memcmp(code, jump, sizeof jump) &&
	    !mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		memcpy(code + 2, &to, sizeof to);
		memcpy(code + 10, end, sizeof end);
		memcpy(code, jump, sizeof jump);
	}
}

static enum gb_status patch(void *state, const void *params, const void *input,
			    struct gb_error *err)
{
	patch_clock();
	return create(state, params, input, err);
}

/* The same in the first process that sorts as many keys as the test measures, as if the machine
 * stalled once. */
static enum gb_status patch_once(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	char path[4096];
	int file = -1;

	(void)snprintf(path, sizeof path, "%s/patched", getenv("PLUGINS_TEST"));
	if (((const struct radix_input *)input)->count == 20000)
		file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (file >= 0)
		patch_clock();
	(void)close(file);
	return create(state, params, input, err);
}

/* Work for 5 ms whenever the process copies the keys: its first write to their pages is trapped. */
static struct {
	char *page;
	size_t bytes;
} trap;

static void set_trap(void)
{
	(void)mprotect(trap.page, trap.bytes, PROT_READ);
}

static void on_write(int number, siginfo_t *info, void *context)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 200;
	const char *at = (const char *)info->si_addr;

	(void)context;
	if (at < trap.page || at >= trap.page + trap.bytes ||
	    mprotect(trap.page, trap.bytes, PROT_READ | PROT_WRITE))
		(void)signal(number, SIG_DFL);
	while (clock() < end)
		;
}

static enum gb_status create_traps(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	const struct sigaction action = { .sa_sigaction = on_write, .sa_flags = SA_SIGINFO };
	const struct radix_input *in = (const struct radix_input *)input;
	const uintptr_t from = ((uintptr_t)in->keys + 4095) / 4096;

	trap.page = (char *)(from * 4096);
	trap.bytes = (((uintptr_t)in->keys + 4 * in->count) / 4096 - from) * 4096;
	(void)sigaction(SIGSEGV, &action, NULL);
	set_trap();
	return create(state, params, input, err);
}

static enum gb_status traps(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)sort(state, timer, err);
	set_trap();
	return err->code;
}

static enum gb_status download_traps(void *state, void *output, struct gb_error *err)
{
	set_trap();
	return download(state, output, err);
}

#define OPS(name, create_, run_)                                                              \
	static const struct gb_variant_ops name##_ops = { .state_size = sizeof(struct state), \
							  .create = (create_),                \
							  .run = (run_),                      \
							  .download = download,               \
							  .metrics = metrics,                 \
							  .flags = GB_SERIAL | GB_REPEATABLE }
#define VARIANT(name)                                         \
	{                                                     \
		"radix", #name, GB_CPU, "a test", &name##_ops \
	}

OPS(honest, create, sort);
OPS(crash, create, crash);
OPS(hang, create, hang);
OPS(leave, create, leave);
OPS(quit, create, quit);
OPS(closes, create, closes);
OPS(unlinked, create, unlinked);
OPS(prints, create, prints);
OPS(greedy, create, greedy);
OPS(forks, create, forks);
OPS(kills, create, kills);
OPS(fails, create, fails);
OPS(scribbles, create, scribbles);
OPS(answers, create, answers);
OPS(leaks, create, leaks);
OPS(swarms, create, swarms);
OPS(nothing, create, nothing);
OPS(slows, patch, sort);
OPS(stalls, patch_once, sort);
static const struct gb_variant_ops traps_ops = { .state_size = sizeof(struct state),
						 .create = create_traps,
						 .run = traps,
						 .download = download_traps,
						 .flags = GB_SERIAL | GB_REPEATABLE };

GB_PLUGIN(NAME, "1.0", VARIANT(honest), VARIANT(crash), VARIANT(hang), VARIANT(leave),
	  VARIANT(quit), VARIANT(closes), VARIANT(unlinked), VARIANT(prints), VARIANT(greedy),
	  VARIANT(forks), VARIANT(kills), VARIANT(fails), VARIANT(scribbles), VARIANT(answers),
	  VARIANT(leaks), VARIANT(swarms), VARIANT(nothing), VARIANT(slows), VARIANT(stalls),
	  VARIANT(traps));
