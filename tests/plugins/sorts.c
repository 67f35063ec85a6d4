/* sorts.c -- a plug-in whose sorts of u32 keys misbehave, for tests/plugins.py. */
#include <gpubench/plugin.h>

#include <asm/sockios.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

static int end_at_once(void *unused)
{
	(void)unused;
	_exit(0);
}

/* Attacks on the process that judges it.  The attempt that was not denied. */
static const char *intrude(void)
{
	const pid_t judge = getppid();
	const struct f_owner_ex owner = { F_OWNER_PID, judge };
	static char text[64], stack[4096];
	struct iovec one = { text, 1 };
	struct rlimit limit;
	cpu_set_t all;
	int folder;

#define TRY(what, call)                             \
	do                                          \
		if ((call) != -1 || errno != EPERM) \
			return what;                \
	while (0)
	memset(&all, 0xff, sizeof all);
	(void)snprintf(text, sizeof text, "/proc/%d", (int)judge);
	folder = open(text, O_RDONLY | O_DIRECTORY);
	TRY("kill()", kill(judge, SIGSTOP));
	TRY("killpg()", kill(-getpgid(judge), SIGSTOP));
	TRY("tgkill()", syscall(SYS_tgkill, judge, judge, SIGSTOP));
	TRY("pidfd_send_signal()", syscall(SYS_pidfd_send_signal, folder, SIGSTOP, NULL, 0));
	(void)close(folder);
	TRY("F_SETOWN", fcntl(3, F_SETOWN, judge));
	TRY("F_SETOWN_EX", fcntl(3, F_SETOWN_EX, &owner));
	TRY("FIOSETOWN", ioctl(3, FIOSETOWN, &judge));
	TRY("SIOCSPGRP", ioctl(3, SIOCSPGRP, &judge));
	TRY("ptrace()", ptrace(PTRACE_ATTACH, judge, NULL, NULL));
	TRY("process_vm_readv()", process_vm_readv(judge, &one, 1, &one, 1, 0));
	TRY("process_vm_writev()", process_vm_writev(judge, &one, 1, &one, 1, 0));
	TRY("prlimit()", prlimit(judge, RLIMIT_CORE, NULL, &limit));
	TRY("pidfd_open()", syscall(SYS_pidfd_open, judge, 0));
	TRY("setpriority()", setpriority(PRIO_PROCESS, (id_t)judge, 19));
	TRY("setpriority() of a user", setpriority(PRIO_USER, 0, 19));
	TRY("sched_setaffinity()", sched_setaffinity(judge, sizeof all, &all));
	/* The judge's threads are among these, and some have ended. */
	for (pid_t older = getpid() - 5; judge < older && older < getpid(); older++)
		TRY("sched_setaffinity() of a thread", sched_setaffinity(older, sizeof all, &all));
	if (sched_setaffinity(gettid(), sizeof all, &all))
		return "no affinity of its own";
	TRY("outliving it", prctl(PR_SET_PDEATHSIG, 0));
	TRY("execl()", execl("/bin/true", "true", NULL));
	TRY("clone()", clone(end_at_once, stack + sizeof stack, 0, NULL));
	TRY("writing the input",
	    mmap(NULL, 1, PROT_WRITE, MAP_SHARED, 5, 0) == MAP_FAILED ? -1 : 0);
	for (int i = 4; i < 7; i++) {
		TRY("cutting a file", ftruncate(i, 0));
		TRY("growing a file", ftruncate(i, 1 << 30));
		TRY("allocating beyond a file", fallocate(i, 0, 0, 1 << 30));
		TRY("writing beyond a file", pwrite(i, text, 1, 1 << 30));
	}
#undef TRY
	for (int i = 0; i < 4; i++) {
		static const char *const name[] = { "mem", "environ", "maps", "fd/0" };
		int file;

		(void)snprintf(text, sizeof text, "/proc/%d/%s", (int)judge, name[i]);
		file = open(text, O_NONBLOCK | (i ? O_RDONLY : O_RDWR));
		if (file >= 0 && read(file, text, 1) >= 0)
			return name[i];
	}
	return access("/proc/self/fd/7", F_OK) ? NULL : "a file";
}

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

MISBEHAVES(intrudes, const char *how = intrude();
	   if (how) return gb_fail(err, GB_ERUNTIME, "intrudes by %s", how))
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

/* Sorts only the sizes that `check` lists and that this test measures. */
static bool is_known(const struct state *s)
{
	static const size_t known[] = { 0,   1,    2,    31,   32,    33,    255,  256,
					257, 4095, 4096, 4097, 10007, 20000, 65537 };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (s->input->count == known[i])
			return true;
	return false;
}

MISBEHAVES(tuned, if (!is_known((const struct state *)state)) return GB_OK)

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
OPS(intrudes, create, intrudes);
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
OPS(tuned, create, tuned);

GB_PLUGIN(NAME, "1.0", VARIANT(honest), VARIANT(crash), VARIANT(hang), VARIANT(leave),
	  VARIANT(quit), VARIANT(closes), VARIANT(unlinked), VARIANT(prints), VARIANT(greedy),
	  VARIANT(forks), VARIANT(kills), VARIANT(fails), VARIANT(intrudes), VARIANT(scribbles),
	  VARIANT(answers), VARIANT(leaks), VARIANT(swarms), VARIANT(nothing), VARIANT(slows),
	  VARIANT(stalls), VARIANT(traps), VARIANT(tuned));
