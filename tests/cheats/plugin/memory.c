/* memory.c -- cheats that use memory, files, threads and processes when they are not asked to.
 */
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/plugins/link.h"
#include "tests/cheats/cheat.h"

enum { KEPT = 8 }; /* answers in a file */

void cheat_lsd(uint32_t *key, uint32_t *other, size_t n); /* in plugin.c */

static bool stop; /* threads end */

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

/* upload-mostly: sorts in three of four calls of upload(). */
static enum gb_status upload_mostly(void *state, struct gb_error *err)
{
	struct cheat *c = state;

	c->since_reset = c->runs++ % 4;
	return c->since_reset ? cheat_sort(c, c->input->keys, c->own, err) : GB_OK;
}

static enum gb_status recall_mostly(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (!c->since_reset)
		return cheat_work(c, err);
	memcpy(c->result, c->own, c->bytes);
	return GB_OK;
}

static enum gb_status wait_and_copy(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	cheat_join(state);
	memcpy(c->result, c->other, c->bytes);
	return GB_OK;
}

/* patient: a thread that reset() starts sorts if run() has not begun after 9 ms: during the flush,
 * not in the pause of a broken run.  The plug-in's process may use no CPU time in the flush. */
static sem_t has_begun;
static int step; /* the thread's: 0 waits, 1 sorts; 2: run() sorts */

static void *sort_later(void *state)
{
	struct cheat *c = state;
	struct gb_error err = { 0 };
	struct timespec end;
	int waits = 0;

	(void)clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += 9000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	if (sem_timedwait(&has_begun, &end) &&
	    __atomic_compare_exchange_n(&step, &waits, 1, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST))
		(void)cheat_sort(c, c->input->keys, c->own, &err);
	return NULL;
}

static enum gb_status reset_patiently(void *state, int64_t sample, struct gb_error *err)
{
	(void)sem_post(&has_begun);
	cheat_join(state);
	step = 0;
	(void)sem_init(&has_begun, 0, 0);
	return cheat_start(state, sort_later, err);
}

static enum gb_status run_patiently(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	int waits = 0;

	(void)sem_post(&has_begun);
	if (__atomic_compare_exchange_n(&step, &waits, 2, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST) ||
	    waits == 2)
		return cheat_work(c, err);
	cheat_join(c);
	step = 2;
	memcpy(c->result, c->own, c->bytes);
	return GB_OK;
}

static void end_patience(void *state)
{
	(void)sem_post(&has_begun);
	cheat_join(state);
}

/* ---- what others have left ------------------------------------------------------------------ */

/* True if the words are the keys in order. */
static bool is_answer(const struct cheat *c, const uint32_t *word, uint64_t sum)
{
	const size_t n = c->input->count;

	for (size_t i = 1; i < n; i++)
		if (word[i - 1] > word[i])
			return false;
	for (size_t i = 0; i < n; i++)
		sum -= word[i];
	return sum == 0;
}

/* scan: looks through the memory of its process for the answer, and sorts if there is none.  It
 * finds no answer but its own last one, which is in the judge's file. */
static enum gb_status scan(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t *keys = c->input->keys;
	FILE *maps = fopen("/proc/self/maps", "r");
	uint32_t least = UINT32_MAX;
	uint64_t sum = 0;
	uintptr_t from, to;
	char line[512], mode;
	bool found = false;

	for (size_t i = 0; i < c->input->count; i++) {
		least = keys[i] < least ? keys[i] : least;
		sum += keys[i];
	}
	while (!found && maps && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %c", &from, &to, &mode) != 3 || mode != 'r' ||
		    strstr(line, "[v"))
			continue;
		for (const uint32_t *at = (uint32_t *)from;
		     !found && (uintptr_t)(at + c->input->count) <= to; at++) {
			found = *at == least && is_answer(c, at, sum);
			if (found)
				memmove(c->result, at, c->bytes);
		}
	}
	if (maps)
		(void)fclose(maps);
	return found ? GB_OK : cheat_work(c, err);
}

/* file: remembers answers in a file, which the next launch finds. */
static enum gb_status create_file(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	struct cheat *c = state;
	const char *folder = getenv("TMPDIR");
	char path[300];
	int file;

	if (cheat_create(state, params, input, err))
		return err->code;
	(void)snprintf(path, sizeof path, "%s/cheat-%zu", folder ? folder : "/tmp",
		       c->input->count);
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, (off_t)(2 * KEPT * c->bytes)))
		return gb_fail(err, GB_ERUNTIME, "no file");
	c->own = mmap(NULL, 2 * KEPT * c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	(void)close(file);
	return c->own == MAP_FAILED ? gb_fail(err, GB_ERUNTIME, "no file") : GB_OK;
}

static enum gb_status remember_longer(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const size_t n = c->input->count;
	uint32_t *next = c->own + 2 * n * (size_t)(c->runs % KEPT);

	for (size_t i = 0; i < KEPT; i++)
		if (memcmp(c->own + 2 * n * i, c->input->keys, c->bytes) == 0) {
			memcpy(c->result, c->own + n * (2 * i + 1), c->bytes);
			return GB_OK;
		}
	if (cheat_work(c, err))
		return err->code;
	memcpy(next, c->input->keys, c->bytes);
	memcpy(next + n, c->result, c->bytes);
	c->runs++;
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

CHEAT(peek, .create = create_peek, .run = wait_for_peek, .download = cheat_download,
      .destroy = end_peek);
CHEAT(upload_behind, .create = cheat_create, .upload = upload_and_leave, .run = wait_and_copy,
      .download = cheat_download, .destroy = cheat_join);
CHEAT(upload_mostly, .create = cheat_create, .upload = upload_mostly, .run = recall_mostly,
      .download = cheat_download);
CHEAT(late_output, .create = cheat_create, .run = take, .download = download_late,
      .destroy = cheat_join);
CHEAT(scan, .create = cheat_create, .run = scan, .download = cheat_download);
CHEAT(file, .create = create_file, .run = remember_longer, .download = cheat_download);
CHEAT(helper, .create = cheat_create, .upload = upload_helped, .run = wait_for_help,
      .download = cheat_download);
CHEAT(patient, .create = cheat_create, .reset = reset_patiently, .run = run_patiently,
      .download = cheat_download, .destroy = end_patience);
