/* process.c -- cheats on the loop that runs a plug-in, in whose process they are: they replace its
 * functions and clocks, read its shared memory before they are asked to, answer in its place.
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
#include "tests/cheats/cheat.h"

void cheat_lsd(uint32_t *key, uint32_t *other, size_t n); /* in plugin.c */

static enum gb_status work(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return cheat_work(state, err);
}

/* ---- the program's functions ---------------------------------------------------------------- */

/* Where the program is in memory. */
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

/* no-flush: the caches stay warm.  The judge flushes them as well. */
static enum gb_status create_warm(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	struct gb_backend_ops *backend = find("gb_cpu_backend");
	enum gb_status (*const flush)(void) = do_nothing;

	if (!backend)
		return gb_fail(err, GB_ERUNTIME, "no symbols");
	overwrite(&backend->flush, &flush, sizeof flush);
	return cheat_create(state, params, input, err);
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

/* early-answer: tells the judge that the run has ended before it begins.  The worker's answer is
 * one too many. */
static enum gb_status answer_first(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct gb_message answer = { .ns = { 1000 } };

	(void)send(GB_LINK_SOCKET, &answer, sizeof answer, 0);
	return cheat_work(state, err);
}

/* ---- the shared memory -------------------------------------------------------------------- */

/* The keys in the judge's file, which are the last bytes. */
static const uint32_t *shown_keys(const struct cheat *c)
{
	struct stat info = { 0 };
	char *file;

	(void)fstat(GB_LINK_INPUT, &info);
	file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, GB_LINK_INPUT, 0);
	return file == MAP_FAILED ? NULL
				  : (const uint32_t *)(file + (size_t)info.st_size - c->bytes);
}

/* peek: a thread sorts what the judge writes to the file as soon as it is there; run() copies the
 * answer.  There is work outside run(). */
static void *peek(void *state)
{
	struct cheat *c = state;
	const uint32_t *shown = shown_keys(c);
	struct gb_error err = { 0 };

	while (shown && !__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		(void)usleep(50);
		if (memcmp(c->own, shown, c->bytes) != 0) {
			__atomic_store_n(&c->since_reset, 0, __ATOMIC_SEQ_CST);
			memcpy(c->own, shown, c->bytes);
			(void)cheat_sort(c, c->own, c->other, &err);
			__atomic_store_n(&c->since_reset, 1, __ATOMIC_SEQ_CST);
		}
	}
	return NULL;
}

static enum gb_status create_peek(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	return cheat_create(state, params, input, err) ? err->code : cheat_start(state, peek, err);
}

static enum gb_status wait_for_peek(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	while (!__atomic_load_n(&c->since_reset, __ATOMIC_SEQ_CST) ||
	       memcmp(c->own, c->input->keys, c->bytes) != 0)
		(void)usleep(20);
	memcpy(c->result, c->other, c->bytes);
	return GB_OK;
}

static void end_peek(void *state)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	cheat_join(state);
}

/* late-output: download() returns at once, and a thread writes the judge's file later. */
static void *write_late(void *state)
{
	struct cheat *c = state;
	struct gb_error err = { 0 };
	uint32_t *output =
		mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, GB_LINK_OUTPUT, 0);

	if (output != MAP_FAILED)
		(void)cheat_sort(c, c->own, output, &err);
	return NULL;
}

static enum gb_status take(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	cheat_join(c);
	memcpy(c->own, c->input->keys, c->bytes);
	return GB_OK;
}

static enum gb_status download_late(void *state, void *output, struct gb_error *err)
{
	cheat_join(state);
	return cheat_start(state, write_late, err);
}

/* upload-behind: upload() starts the thread, which works during the flush.  The process is at work
 * when upload() has returned. */
static void *sort_other(void *state)
{
	struct gb_error err = { 0 };
	struct cheat *c = state;

	(void)cheat_sort(c, c->own, c->other, &err);
	return NULL;
}

static enum gb_status upload_and_leave(void *state, struct gb_error *err)
{
	struct cheat *c = state;

	cheat_join(state);
	memcpy(c->own, c->input->keys, c->bytes);
	return cheat_start(c, sort_other, err);
}

static enum gb_status wait_and_copy(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	cheat_join(state);
	memcpy(c->result, c->other, c->bytes);
	return GB_OK;
}

/* ---- another process ---------------------------------------------------------------------- */

/* helper: as ahead, by a process that shares its memory, so that its CPU time is not this one's.
 * Nobody waits for it, so it is not counted as a child either.  It cannot be started. */
static int help(void *state)
{
	struct cheat *c = state;

	memcpy(c->other, c->own, c->bytes);
	cheat_lsd(c->other, c->own, c->input->count);
	__atomic_store_n(&c->since_reset, 1, __ATOMIC_RELEASE);
	return 0;
}

static enum gb_status upload_helped(void *state, struct gb_error *err)
{
	static char stack[1 << 20];
	struct cheat *c = state;

	while (!c->since_reset && c->runs++)
		(void)sched_yield();
	memcpy(c->own, c->input->keys, c->bytes);
	c->since_reset = 0;
	if (clone(help, stack + sizeof stack, CLONE_VM | CLONE_FILES | CLONE_FS, c) < 0)
		c->since_reset = 2;
	return GB_OK;
}

static enum gb_status wait_for_help(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (c->since_reset == 2)
		return cheat_work(c, err);
	while (!__atomic_load_n(&c->since_reset, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	memcpy(c->result, c->other, c->bytes);
	return GB_OK;
}

CHEAT(shave, .create = cheat_create, .run = shave, .download = cheat_download);
CHEAT(understate, .create = cheat_create, .run = understate, .download = cheat_download);
CHEAT(waiter, .create = create_waiter, .run = wait_for_processor, .download = cheat_download,
      .destroy = end_waiter);
CHEAT(libc, .create = create_libc, .run = work, .download = cheat_download);
CHEAT(vdso, .create = create_vdso, .run = work, .download = cheat_download);
CHEAT(no_flush, .create = create_warm, .run = work, .download = cheat_download);
CHEAT(no_poison, .create = create_clean, .run = every_second, .download = cheat_download);
CHEAT(early_answer, .create = cheat_create, .run = answer_first, .download = cheat_download);
CHEAT(peek, .create = create_peek, .run = wait_for_peek, .download = cheat_download,
      .destroy = end_peek);
CHEAT(upload_behind, .create = cheat_create, .upload = upload_and_leave, .run = wait_and_copy,
      .download = cheat_download, .destroy = cheat_join);
CHEAT(late_output, .create = cheat_create, .run = take, .download = download_late,
      .destroy = cheat_join);
CHEAT(helper, .create = cheat_create, .upload = upload_helped, .run = wait_for_help,
      .download = cheat_download);
