/* process.c -- cheats on the loop that runs a plug-in, in whose process they are: they replace its
 * functions and clocks, and answer in its place.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/plugins/link.h"
#include "cli/records/result.h"
#include "tests/cheats/cheat.h"

void cheat_lsd(uint32_t *key, uint32_t *other, size_t n); /* in plugin.c */
extern const struct gb_variant_ops radix_cpu_cheat_memo_hash;

static enum gb_status work(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return cheat_work(state, err);
}

/* ---- the program's functions ---------------------------------------------------------------- */

/* The program's place in memory. */
static char *program_base(void)
{
	unsigned long base = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	if (maps && fscanf(maps, "%lx", &base) != 1)
		base = 0;
	if (maps)
		(void)fclose(maps);
	return (char *)base;
}

/* A symbol of the program, exported or not; NULL if it was stripped. */
static void *find(const char *name)
{
	const int file = open("/proc/self/exe", O_RDONLY);
	struct stat info = { 0 };
	const char *image;
	const Elf64_Ehdr *head;
	const Elf64_Shdr *section;
	void *found = NULL;

	(void)fstat(file, &info);
	image = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	(void)close(file);
	if (image == MAP_FAILED)
		return NULL;
	head = (const Elf64_Ehdr *)image;
	section = (const Elf64_Shdr *)(image + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(image + section[i].sh_offset);
		const char *names = image + section[section[i].sh_link].sh_offset;

		for (size_t k = 0;
		     section[i].sh_type == SHT_SYMTAB && k < section[i].sh_size / sizeof *symbol;
		     k++)
			if (!strcmp(names + symbol[k].st_name, name))
				found = program_base() + symbol[k].st_value;
	}
	(void)munmap((void *)image, (size_t)info.st_size);
	return found;
}

/* Write to memory that is not writable. */
static void overwrite(void *at, const void *bytes, size_t size)
{
	void *page = (void *)((uintptr_t)at & ~(uintptr_t)4095);

	if (at && !mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		memcpy(at, bytes, size);
	else if (at && !mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		memcpy(at, bytes, size);
}

/* Let a function jump to another (x86-64). */
static void replace(void *function, const void *by)
{
	unsigned char jump[12] = { 0x48, 0xb8, [10] = 0xff, 0xe0 }; /* mov rax; jmp rax */

	memcpy(jump + 2, &by, sizeof by);
	overwrite(function, jump, sizeof jump);
}

static bool stop; /* threads end */

/* ---- clocks ------------------------------------------------------------------------------- */

/* shave: moves the first mark by two fifths of the run.  The judge's clock shows more. */
static enum gb_status shave(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const double start_ns = gb_now_ns();

	if (cheat_work(state, err))
		return err->code;
	if (timer)
		*(double *)timer->clock += 0.4 * (gb_now_ns() - start_ns);
	return GB_OK;
}

/* understate: as memo-compare, but a run that has to work says that it took as long as the others.
 * The judge compares these runs by its own clock. */
static enum gb_status understate(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (c->runs++ && memcmp(c->other, c->input->keys, c->bytes) == 0) {
		memcpy(c->result, c->own, c->bytes);
		return GB_OK;
	}
	memcpy(c->other, c->input->keys, c->bytes);
	if (cheat_work(c, err))
		return err->code;
	if (timer)
		*(double *)timer->clock = gb_now_ns();
	memcpy(c->own, c->result, c->bytes);
	return GB_OK;
}

/* A clock that runs a hundred times slower. */
static int slow_clock(clockid_t clock, struct timespec *now)
{
	const long status = syscall(SYS_clock_gettime, clock, now);
	const long ns = (now->tv_sec % 100000 * 1000000000 + now->tv_nsec) / 100;

	now->tv_sec = ns / 1000000000;
	now->tv_nsec = ns % 1000000000;
	return (int)status;
}

/* libc: replaces the C library's clock; vdso: the kernel's function below it. */
static enum gb_status create_libc(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	replace(dlsym(RTLD_DEFAULT, "clock_gettime"), &slow_clock);
	return cheat_create(state, params, input, err);
}

static enum gb_status create_vdso(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!vdso || !dlsym(vdso, "__vdso_clock_gettime"))
		return gb_fail(err, GB_ERUNTIME, "no vDSO");
	replace(dlsym(vdso, "__vdso_clock_gettime"), &slow_clock);
	return cheat_create(state, params, input, err);
}

/* waiter: a thread sorts on the only processor of the main thread, which has a low priority and
 * waits for it.  The judge does not count the time that the main thread waits, unless other threads
 * of its process work. */
static sem_t begin;

static void *sort_beside(void *state)
{
	struct cheat *c = state;

	while (!sem_wait(&begin) && !__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		memcpy(c->result, c->input->keys, c->bytes);
		cheat_lsd(c->result, c->own, c->input->count);
		__atomic_store_n(&c->since_reset, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static enum gb_status create_waiter(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (cheat_create(state, params, input, err) || sem_init(&begin, 0, 0) ||
	    sched_setaffinity(0, sizeof one, &one) || cheat_start(state, sort_beside, err) ||
	    setpriority(PRIO_PROCESS, 0, 19))
		return gb_fail(err, GB_ERUNTIME, "no thread");
	return GB_OK;
}

static enum gb_status wait_for_processor(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const double start_ns = gb_now_ns();

	c->since_reset = 0;
	(void)sem_post(&begin);
	while (!__atomic_load_n(&c->since_reset, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	if (timer)
		*(double *)timer->clock += 0.9 * (gb_now_ns() - start_ns);
	return GB_OK;
}

static void end_waiter(void *state)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	(void)sem_post(&begin);
	cheat_join(state);
}

/* ---- the loop ----------------------------------------------------------------------------- */

static enum gb_status do_nothing(void)
{
	return GB_OK;
}

/* in-flush: sorts when the process is to flush its caches.  That is left out before verified runs.
 * in-poison: sorts when it is to overwrite its result, which is watched. */
static struct cheat *mine;

static enum gb_status sort_mine(void)
{
	struct gb_error err = { 0 };

	mine->since_reset = 1;
	return cheat_sort(mine, mine->input->keys, mine->own, &err);
}

/* in-download: sorts in download(), but not in whole runs, which have no flush. */
static enum gb_status note_flush(void)
{
	mine->since_reset = 1;
	return GB_OK;
}

static enum gb_status create_flushed(void *state, const void *params, const void *input,
				     enum gb_status (*flush)(void), struct gb_error *err)
{
	struct gb_backend_ops *backend = find("gb_cpu_backend");

	if (!backend)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	overwrite(&backend->flush, &flush, sizeof flush);
	mine = state;
	return cheat_create(state, params, input, err);
}

static enum gb_status create_in_download(void *state, const void *params, const void *input,
					 struct gb_error *err)
{
	return create_flushed(state, params, input, note_flush, err);
}

static enum gb_status work_later(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (!c->since_reset)
		return cheat_work(c, err);
	memcpy(c->own, c->input->keys, c->bytes);
	return GB_OK;
}

static enum gb_status download_later(void *state, void *output, struct gb_error *err)
{
	struct cheat *c = state;

	if (!c->since_reset)
		return cheat_download(c, output, err);
	c->since_reset = 0;
	return cheat_sort(c, c->own, output, err);
}

static enum gb_status create_in_flush(void *state, const void *params, const void *input,
				      struct gb_error *err)
{
	return create_flushed(state, params, input, sort_mine, err);
}

static enum gb_status create_in_poison(void *state, const void *params, const void *input,
				       struct gb_error *err)
{
	void *poison = find("gb_memory_poison");

	if (!poison)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	replace(poison, sort_mine);
	mine = state;
	return cheat_create(state, params, input, err);
}

static enum gb_status copy_if_sorted(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (!c->since_reset)
		return cheat_work(c, err);
	c->since_reset = 0;
	memcpy(c->result, c->own, c->bytes);
	return GB_OK;
}

/* no-poison: results are not overwritten; one run of two leaves them alone. */
static enum gb_status create_clean(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	void *poison = find("gb_memory_poison");

	if (!poison)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	replace(poison, do_nothing);
	return cheat_create(state, params, input, err);
}

static enum gb_status every_second(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->runs++ % 2 ? GB_OK : cheat_work(c, err);
}

/* secret: makes all secret numbers equal, so that each variation of the input is the same one, and
 * remembers answers.  The judge's numbers are in another process. */
static uint64_t no_secret(void)
{
	return 0;
}

static enum gb_status create_secret(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	void *secret = find("gb_secret");

	if (!secret)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	replace(secret, no_secret);
	return radix_cpu_cheat_memo_hash.create(state, params, input, err);
}

static enum gb_status remember(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return radix_cpu_cheat_memo_hash.run(state, timer, err);
}

/* verifier: replaces the verifier by one that is content, and does nothing. */
static enum gb_status create_content(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	const struct gb_workload *radix = find("gb_radix_workload");

	if (!radix)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	replace((void *)radix->verify, do_nothing);
	return cheat_create(state, params, input, err);
}

static enum gb_status idle(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return GB_OK;
}

/* record: each time that the program keeps is 100 times shorter. */
static enum gb_status push_less(struct gb_series *series, double value, struct gb_error *err)
{
	if (series->count == series->room) {
		series->room = 2 * series->room + 64;
		series->value = realloc(series->value, series->room * sizeof *series->value);
	}
	series->value[series->count++] = value / 100;
	return GB_OK;
}

static enum gb_status create_record(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	void *push = find("gb_series_push");

	if (!push)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	replace(push, push_less);
	return cheat_create(state, params, input, err);
}

/* early-answer: tells the judge that the run has ended before it begins.  The worker's answer is
 * one too many. */
static enum gb_status answer_first(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct gb_message answer = { .ns = { 1000 } };

	(void)send(GB_LINK_SOCKET, &answer, sizeof answer, 0);
	return cheat_work(state, err);
}

/* takeover: serves the judge from then on, with the tickets of its requests.  It answers before it
 * works, so that the judge's clock agrees, and is still at work when it has answered. */
static const struct gb_message *find_request(void)
{
	const uint64_t *at = (const uint64_t *)__builtin_frame_address(0);
	const struct gb_message *ask = (const struct gb_message *)at;

	while (ask->word != GB_ASK_RUNS || ask->ticket >> 32 == 0 || ask->number[0] != 1 ||
	       ask->number[1] >> 1 || ask->number[2] >> 1)
		ask = (const struct gb_message *)++at;
	return ask;
}

static enum gb_status take_over(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	struct gb_message ask = *find_request();
	struct stat info = { 0 };
	char *shown, *output;

	(void)fstat(GB_LINK_INPUT, &info);
	shown = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, GB_LINK_INPUT, 0);
	output = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, GB_LINK_OUTPUT, 0);
	if (shown == MAP_FAILED || output == MAP_FAILED)
		return gb_fail(err, GB_ERUNTIME, "no memory");
	do {
		struct gb_message answer = { .ticket = ask.ticket, .ns = { 1000 } };

		if (ask.word == GB_ASK_INPUT)
			memcpy(c->input->keys, shown + info.st_size - c->bytes, c->bytes);
		else if (ask.word == GB_ASK_DOWNLOAD)
			memcpy(output, c->result, c->bytes);
		answer.ns[0] *= ask.word == GB_ASK_RUNS ? (double)ask.number[0] : 0;
		(void)send(GB_LINK_SOCKET, &answer, sizeof answer, 0);
		if (ask.word == GB_ASK_RUNS)
			(void)cheat_work(c, err);
	} while (ask.word != GB_ASK_END &&
		 recv(GB_LINK_SOCKET, &ask, sizeof ask, 0) == (ssize_t)sizeof ask);
	_exit(0);
}

CHEAT(shave, .create = cheat_create, .run = shave, .download = cheat_download);
CHEAT(understate, .create = cheat_create, .run = understate, .download = cheat_download);
CHEAT(waiter, .create = create_waiter, .run = wait_for_processor, .download = cheat_download,
      .destroy = end_waiter);
CHEAT(libc, .create = create_libc, .run = work, .download = cheat_download);
CHEAT(vdso, .create = create_vdso, .run = work, .download = cheat_download);
CHEAT(in_flush, .create = create_in_flush, .run = copy_if_sorted, .download = cheat_download);
CHEAT(in_download, .create = create_in_download, .run = work_later, .download = download_later);
CHEAT(in_poison, .create = create_in_poison, .run = copy_if_sorted, .download = cheat_download);
CHEAT(no_poison, .create = create_clean, .run = every_second, .download = cheat_download);
CHEAT(early_answer, .create = cheat_create, .run = answer_first, .download = cheat_download);
CHEAT(takeover, .create = cheat_create, .run = take_over, .download = cheat_download);
CHEAT(secret, .create = create_secret, .run = remember, .download = cheat_download);
CHEAT(verifier, .create = create_content, .run = idle, .download = cheat_download);
CHEAT(record, .create = create_record, .run = work, .download = cheat_download);
