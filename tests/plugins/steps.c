/* steps.c -- a plug-in whose metrics state what was asked of it, for test_worker.c, which also
 * changes its table; and variants with a fault each, for tests/cli/commands/test_judge.c. */
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/plugin.h"

struct state {
	const struct stream_input *input;
	unsigned char *result;
	int64_t uploads, resets, runs;
	unsigned char seen; /* the first byte of the result at the last reset() */
	bool fails;
};

/* Needs more address space than a limit may leave. */
static enum gb_status hoard(struct gb_error *err)
{
	if (mmap(NULL, 64 << 20, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return gb_fail(err, GB_EMEMORY, "no address space");
	return GB_OK;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct stream_params *p = params;
	struct state *s = state;

	s->input = input;
	s->fails = p->seed == 13;
	s->result = gb_host_alloc(s->input->count + (size_t)p->threads, 1, err);
	gb_memory_result(s->result, GB_WHOLE, GB_POISON);
	if (p->seed == 14 && hoard(err))
		return err->code;
	return p->seed == 12 ? gb_fail(err, GB_EUNAVAILABLE, "not 12") : err->code;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;

	(void)err;
	s->uploads++;
	return GB_OK;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	(void)err;
	s->resets += sample;
	s->seen = s->result[0];
	return GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	s->runs++;
	gb_phase(timer, "copy");
	memcpy(s->result, s->input->words, s->input->count);
	gb_phase(timer, "rest");
	return s->fails ? gb_fail(err, GB_ERUNTIME, "run %d fails", (int)s->runs) : GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if (s->fails)
		return gb_fail(err, GB_ERUNTIME, "no result");
	memcpy(output, s->result, s->input->count);
	return GB_OK;
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *s = state;

	gb_metric(metrics, "uploads", (double)s->uploads);
	gb_metric(metrics, "resets", (double)s->resets);
	gb_metric(metrics, "runs", (double)s->runs);
	gb_metric(metrics, "seen", s->seen);
	gb_metric_hash(metrics, "hash", 31);
}

/* Its mark in the output's file, descriptor 6. */
static void destroy(void *state)
{
	char *output = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, 6, 0);

	(void)state;
	if (output != MAP_FAILED)
		output[0] = 'e';
}

/* ---- faults -------------------------------------------------------------------------------- */

static enum gb_status run_wrong(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	(void)run(state, timer, err);
	s->result[0] ^= s->input->count > 0;
	return err->code;
}

/* Right at sizes that `check` lists. */
static enum gb_status run_tuned(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static const size_t listed[] = { 5,  7,   8,    9,     16,    63,    64,
					 65, 600, 4095, 16383, 16384, 16385, 1048579 };
	const struct state *s = state;

	for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
		if (s->input->count < 2 || s->input->count == listed[i])
			return run(state, timer, err);
	return run_wrong(state, timer, err);
}

static enum gb_status run_crash(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	(void)err;
	abort();
}

static enum gb_status run_hang(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	(void)pause();
	return err->code;
}

/* ---- texts --------------------------------------------------------------------------------- */

static const struct lbvh_input *mesh;

static const char *excluded(const void *params)
{
	static char text[2];

	(void)params;
	text[0] = (char)mesh->triangle[2];
	return text;
}

static const struct gb_variant_ops steps = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.metrics = metrics,
	.flags = GB_SERIAL,
};

static enum gb_status create_nothing(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	(void)state;
	(void)params;
	mesh = input;
	return err->code;
}

/* States the last corner of the first triangle as a letter. */
static const struct gb_variant_ops corner = {
	.state_size = 1,
	.create = create_nothing,
	.run = run,
	.download = download,
	.excluded = excluded,
};

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

static enum gb_status run_intrude(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const char *how = intrude();

	return how ? gb_fail(err, GB_ERUNTIME, "intrudes by %s", how) : run(state, timer, err);
}

/* Sorts nothing. */
static enum gb_status create_empty(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	const struct radix_input *in = input;

	(void)state;
	(void)params;
	return in->count ? gb_fail(err, GB_EUNAVAILABLE, "sorts nothing") : err->code;
}

static enum gb_status create_hoard(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	return hoard(err) ? err->code : create_empty(state, params, input, err);
}

static enum gb_status do_nothing(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	return err->code;
}

static enum gb_status download_nothing(void *state, void *output, struct gb_error *err)
{
	(void)state;
	(void)output;
	return err->code;
}

static const struct gb_variant_ops empty = {
	.state_size = 1, .create = create_empty, .run = do_nothing, .download = download_nothing
};

static const struct gb_variant_ops hoarding = {
	.state_size = 1, .create = create_hoard, .run = do_nothing, .download = download_nothing
};

#define FAULTY(name)                                                                          \
	static const struct gb_variant_ops name##_ops = { .state_size = sizeof(struct state), \
							  .create = create,                   \
							  .upload = upload,                   \
							  .run = run_##name,                  \
							  .download = download,               \
							  .flags = GB_SERIAL }
FAULTY(wrong);
FAULTY(tuned);
FAULTY(crash);
FAULTY(hang);
FAULTY(intrude);

struct gb_plugin_variant variants[] = {
	{ "stream", "steps", GB_CPU, "states its steps", &steps },
	{ "lbvh", "corner", GB_CPU, "states a corner", &corner },
	{ "stream", "wrong", GB_CPU, "flips a bit", &wrong_ops },
	{ "stream", "tuned", GB_CPU, "flips it at other sizes", &tuned_ops },
	{ "stream", "crash", GB_CPU, "aborts", &crash_ops },
	{ "stream", "hang", GB_CPU, "waits for ever", &hang_ops },
	{ "stream", "intrude", GB_CPU, "attacks its judge", &intrude_ops },
	{ "stream", "device", GB_CUDA, "runs on a GPU", &steps },
	{ "radix", "empty", GB_CPU, "sorts nothing", &empty },
	{ "radix", "hoard", GB_CPU, "maps 64 MiB", &hoarding },
};

GB_PLUGIN_TABLE struct gb_plugin gpubench_plugin = {
	GB_PLUGIN_ABI, sizeof(struct gb_variant_ops), "steps", "2.1", variants, 10,
};
