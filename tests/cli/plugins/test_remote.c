/* test_remote.c -- variants of plug-ins as the judge sees them: the requests that operations send,
 * and how much of the answers it believes.
 *
 * This program also plays the judged process: with REMOTE_SCRIPT set, it reads the file to load as
 * a script of answers.  The script may name one request to refuse; the reason is then the text of
 * that request.
 */
#include "cli/plugins/remote.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/plugins/process.h"
#include "cli/plugins/sha256.h"
#include "cli/plugins/worker.h"
#include "common/lbvh.h"
#include "common/stream.h"
#include "common/text.h"

enum { WORDS = 5, REQUESTS = GB_ASK_END + 1 };

struct script {
	int refused; /* enum gb_request_word, or -1 */
	struct gb_message answer[REQUESTS];
	struct gb_board board; /* from `name` on */
};

/* ---- the judged process ------------------------------------------------------------------- */

static const char *told(const struct lbvh_params *p)
{
	const bool all = p->scene || p->image || p->seed || p->rays_order;

	return all ? " all" : p->rays_kind ? " kind" : "";
}

static void refuse(const struct gb_message *ask, const struct gb_board *board,
		   struct gb_message *to)
{
	const long long *n = (const long long *)ask->number;
	const unsigned char *shown = gb_link_map(GB_LINK_INPUT, 1, false);

	to->word = GB_EUNAVAILABLE;
	if (ask->word == GB_ASK_TABLE)
		(void)snprintf(to->text, sizeof to->text, "%s", ask->text);
	else if (ask->word == GB_ASK_INPUT)
		(void)snprintf(to->text, sizeof to->text, "%02x after %02x",
			       shown[sizeof(struct stream_input) + WORDS * 8 - 1], shown[0]);
	else if (ask->word == GB_ASK_CREATE)
		(void)snprintf(to->text, sizeof to->text, "%lld %lld %lld %lld %lld: %02x%s", n[0],
			       n[1], n[2], n[3], n[4], board->params[0],
			       told((const void *)board->params));
	else
		(void)snprintf(to->text, sizeof to->text, "%d: %lld %lld %lld %lld", (int)ask->word,
			       n[0], n[1], n[2], n[3]);
}

static void play(void)
{
	static struct script script;
	struct gb_board *board = gb_link_map(GB_LINK_BOARD, sizeof *board, true);
	const size_t own = offsetof(struct gb_board, name);
	struct gb_message ask, answer;

	while (gb_message_receive(GB_LINK_SOCKET, &ask)) {
		if (ask.word == GB_ASK_TABLE) {
			FILE *file = fopen(ask.text, "rb");

			if (!file || fread(&script, sizeof script, 1, file) != 1)
				return;
			(void)fclose(file);
			memcpy((char *)board + own, (char *)&script.board + own,
			       sizeof *board - own);
		}
		answer = script.answer[ask.word];
		answer.ticket = ask.ticket;
		if (ask.word == script.refused)
			refuse(&ask, board, &answer);
		if (ask.word == GB_ASK_DOWNLOAD)
			memset(gb_link_map(GB_LINK_OUTPUT, WORDS * 8, true), 'o', WORDS * 8);
		(void)gb_message_send(GB_LINK_SOCKET, &answer);
	}
}

__attribute__((constructor)) static void be_judged(int argc, char **argv)
{
	if (argc != 2 || !gb_equal(argv[1], GB_WORKER_WORD) || !getenv("REMOTE_SCRIPT"))
		return;
	play();
	_exit(0);
}

/* ---- the judge ---------------------------------------------------------------------------- */

static struct script script;
static char path[] = "/tmp/gpubench-remote-XXXXXX";
static struct gb_plugin_file *file;
static uint64_t words[WORDS];
static const struct stream_params toy_params = { .count = sizeof words };
static const struct stream_input toy_input = { .count = sizeof words, .words = words };
static const struct gb_backend_ops *backend;
static const struct gb_variant *variant;
static void *state;

/* A plug-in with stream/cpu/toy, whose process obeys every request and has nothing to say. */
static void setup(void)
{
	const int made = mkstemp(path);

	cr_assert_geq(made, 0);
	(void)close(made);
	(void)setenv("REMOTE_SCRIPT", "1", 1);
	script.refused = -1;
	script.board.variants = 1;
	script.board.variant[0] =
		(struct gb_link_variant){ .workload = "stream", .name = "toy", .summary = "a toy" };
	(void)snprintf(script.board.name, sizeof script.board.name, "toys");
	(void)snprintf(script.board.version, sizeof script.board.version, "1\t");
}

static void teardown(void)
{
	(void)unlink(path);
}

TestSuite(remote, .init = setup, .fini = teardown);

/* Load the script's plug-in. */
static enum gb_status load(struct gb_error *err)
{
	static struct gb_plugin_file files[32]; /* those of plug-ins that were refused stay */
	static size_t loads;
	FILE *to = fopen(path, "wb");

	*err = (struct gb_error){ 0 };
	cr_assert(to != NULL && loads < GB_COUNT(files));
	cr_assert(fwrite(&script, sizeof script, 1, to) == 1 && fclose(to) == 0);
	file = &files[loads++];
	file->path = path;
	(void)gb_sha256_file(path, file->sha256, err);
	return gb_remote_add(file, err);
}

/* Start a measurement of the last variant. */
static enum gb_status create(const void *params, const void *input, struct gb_error *err)
{
	const struct gb_remote_limits limits = { .device = 2, .timeout_s = 60, .memory_bytes = 99 };

	variant = &gb_variants[gb_variant_count - 1];
	backend = gb_remote_backend(variant, &limits);
	state = calloc(1, variant->ops->state_size);
	return variant->ops->create(state, params, input, err);
}

static void begin(void)
{
	struct gb_error err;

	cr_assert_eq(load(&err), GB_OK, "%s", err.message);
	cr_assert_eq(create(&toy_params, &toy_input, &err), GB_OK, "%s", err.message);
}

static void end(void)
{
	const pid_t process = backend->remote->process(state);

	variant->ops->destroy(state);
	cr_expect(process == 0 || kill(process, 0));
	free(state);
}

/* ---- requests ----------------------------------------------------------------------------- */

static bool held, marked;
static double ns, queue_ns, lost_ns;
static size_t phases;
static struct gb_phase_time phase[3];

static enum gb_status run(struct gb_error *err)
{
	held = true;
	marked = false;
	phases = GB_COUNT(phase);
	*err = (struct gb_error){ 0 };
	return backend->remote->runs(state, 5, &held, &marked, &ns, &queue_ns, &lost_ns, phase,
				     &phases, err);
}

/* Call the operation that sends the request. */
static void call(enum gb_request_word word, struct gb_error *err)
{
	const struct gb_variant_ops *ops = variant->ops;

	*err = (struct gb_error){ 0 };
	if (word == GB_ASK_INPUT)
		(void)backend->remote->show(state, err);
	else if (word == GB_ASK_UPLOAD)
		(void)ops->upload(state, err);
	else if (word == GB_ASK_RESET)
		(void)ops->reset(state, 7, err);
	else if (word == GB_ASK_FLUSH)
		(void)backend->remote->flush(state, err);
	else if (word == GB_ASK_RUNS)
		(void)run(err);
	else if (word == GB_ASK_POISON)
		(void)backend->remote->poison(state, 200, err);
	else if (word == GB_ASK_DOWNLOAD)
		(void)ops->download(state, words, err);
	else
		cr_expect_eq(backend->remote->children(state, err), 0);
}

Test(remote, requests)
{
	static const struct {
		enum gb_request_word word;
		const char *want;
	} row[] = {
		{ GB_ASK_INPUT, "ab after 28" },    { GB_ASK_UPLOAD, "3: 0 0 0 0" },
		{ GB_ASK_RESET, "4: 7 0 0 0" },     { GB_ASK_FLUSH, "5: 0 0 0 0" },
		{ GB_ASK_RUNS, "6: 5 1 0 0" },      { GB_ASK_POISON, "7: 200 0 0 0" },
		{ GB_ASK_CHILDREN, "11: 0 0 0 0" }, { GB_ASK_DOWNLOAD, "8: 0 0 0 0" },
	};
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		script.refused = (int)row[i].word;
		memset(words, 0, sizeof words);
		begin();
		cr_expect(isinf(backend->remote->copy_ns(state)));
		memset(words, 0xab, sizeof words);
		call(row[i].word, &err);
		cr_expect_eq(err.code, GB_EUNAVAILABLE);
		cr_expect_str_eq(err.message, row[i].want, "%s", err.message);
		cr_expect_eq(words[0], UINT64_C(0xabababababababab), "a refused download");
		/* The least time of showing the input. */
		if (row[i].word == GB_ASK_INPUT) {
			const double once = backend->remote->copy_ns(state);

			cr_expect(once > 0 && once < 60e9);
			call(row[i].word, &err);
			cr_expect_leq(backend->remote->copy_ns(state), once);
		}
		end();
	}
}

/* The first request names the file.  The second has the variant's place in it, the device, the
 * bytes of the input and the output, and the limit; the parameters are on the board, without those
 * of the input. */
Test(remote, requests_of_create)
{
	const struct lbvh_params scene = { .scene = "a", .rays_kind = 1, .seed = 3 };
	const float vertex = 0;
	const struct lbvh_input empty = { .vertex = (void *)&vertex };
	struct gb_error err;

	script.refused = GB_ASK_TABLE;
	cr_expect_eq(load(&err), GB_EUNAVAILABLE);
	cr_expect_str_eq(err.message, path);
	script.refused = GB_ASK_CREATE;
	cr_assert_eq(load(&err), GB_OK, "%s", err.message);
	cr_expect_eq(create(&toy_params, &toy_input, &err), GB_EUNAVAILABLE);
	cr_expect_str_eq(err.message, "0 2 64 40 99: 28", "%s", err.message);
	end();

	script.board.variants = 2;
	script.board.variant[1] =
		(struct gb_link_variant){ .workload = "lbvh", .name = "toy", .summary = "a toy" };
	cr_assert_eq(load(&err), GB_OK, "%s", err.message);
	cr_expect_eq(create(&scene, &empty, &err), GB_EUNAVAILABLE);
	cr_expect(strncmp(err.message, "1 2 ", 4) == 0 && strstr(err.message, ": 00 kind"), "%s",
		  err.message);
	end();
}

Test(remote, failures_of_create)
{
	const struct rlimit few = { 2 * GB_LINK_END, 2 * GB_LINK_END };
	struct gb_error err;

	cr_assert_eq(load(&err), GB_OK);
	file->sha256[0] ^= 1;
	cr_expect_eq(create(&toy_params, &toy_input, &err), GB_EVERIFY);
	cr_expect(strstr(err.message, ": the file has changed since it was loaded"));
	end();
	cr_assert_eq(load(&err), GB_OK);
	(void)unlink(path);
	cr_expect_eq(create(&toy_params, &toy_input, &err), GB_EUSAGE);
	end();
	cr_assert_eq(load(&err), GB_OK);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_expect_eq(create(&toy_params, &toy_input, &err), GB_EMEMORY);
	cr_expect(strstr(err.message, "cannot share the input: "), "%s", err.message);
	end();
}

/* ---- answers ------------------------------------------------------------------------------ */

Test(remote, answers)
{
	struct gb_error err = { 0 };

	script.answer[GB_ASK_RUNS] =
		(struct gb_message){ .number = { 1, 1, 2 }, .ns = { 5000, 700 }, .peak = { 8, 9 } };
	script.answer[GB_ASK_CHILDREN].number[0] = 6;
	script.answer[GB_ASK_END].peak[0] = 7;
	script.board.phase[0] = (struct gb_link_phase){ "a", 6050 };
	script.board.phase[1] = (struct gb_link_phase){ "b\n", 0 };
	(void)snprintf(script.board.excluded, sizeof script.board.excluded, "sorting\t");
	begin();
	cr_expect_str_eq(variant->ops->excluded(&toy_params), "sorting?");
	cr_expect_eq(backend->remote->children(state, &err), 6);
	cr_expect_eq(run(&err), GB_OK, "%s", err.message);
	cr_expect(held && marked);
	cr_expect_eq(ns, 5000);
	cr_expect_eq(queue_ns, 700);
	cr_assert_eq(phases, 2);
	cr_expect_str_eq(phase[0].name, "a");
	cr_expect_eq(phase[0].ns, 6050);
	cr_expect_str_eq(phase[1].name, "b?");
	cr_expect_eq(phase[1].ns, 0);
	cr_expect_eq(backend->remote->peak(GB_HOST_MEMORY), 8);
	cr_expect_eq(backend->remote->peak(GB_DEVICE_MEMORY), 9);
	cr_expect_eq(variant->ops->download(state, words, &err), GB_OK);
	cr_expect_eq(words[WORDS - 1], UINT64_C(0x6f6f6f6f6f6f6f6f));
	end();
	/* The next measurement knows nothing of the last one. */
	memset(script.board.excluded, 0, sizeof script.board.excluded);
	script.answer[GB_ASK_RUNS].number[0] = script.answer[GB_ASK_RUNS].number[1] = 0;
	(void)gb_remote_backend(variant, &(struct gb_remote_limits){ 0 });
	cr_expect_null(variant->ops->excluded(&toy_params));
	cr_expect_eq(backend->remote->peak(GB_HOST_MEMORY), 0);
	begin();
	cr_expect_null(variant->ops->excluded(&toy_params));
	cr_expect_eq(run(&err), GB_OK);
	cr_expect(!held && !marked);
	end();
}

/* Times and numbers of phases that a run may not state, and those at the limits. */
Test(remote, times_that_nobody_believes)
{
	static const char clock[] = "the clock was tampered with";
	static const char longer[] = "a phase takes longer than the run";
	static const struct {
		double ns, phase_ns;
		int64_t phases;
		size_t taken;
		const char *message; /* NULL: believed */
	} row[] = {
		{ 0, 0, 0, 0, NULL },
		{ -1, 0, 0, 0, clock },
		{ NAN, 0, 0, 0, clock },
		{ INFINITY, 0, 0, 0, clock },
		{ 5000, 6050, 1, 1, NULL },
		{ 5000, 6051, 1, 0, longer },
		{ 5000, -1, 1, 0, longer },
		{ 5000, NAN, 1, 0, longer },
		{ 5000, 1, -1, 0, NULL },
		{ 5000, 1, INT64_MAX, GB_COUNT(phase), NULL },
		{ 5000, 1, GB_COUNT(phase), GB_COUNT(phase), NULL },
	};
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		script.answer[GB_ASK_RUNS] = (struct gb_message){ .number = { 0, 1, row[i].phases },
								  .ns = { row[i].ns } };
		for (size_t k = 0; k < GB_COUNT(phase); k++)
			script.board.phase[k].ns = row[i].phase_ns;
		begin();
		cr_expect_eq(run(&err), row[i].message ? GB_EVERIFY : GB_OK, "row %zu", i);
		cr_expect_str_eq(err.message, row[i].message ? row[i].message : "", "row %zu", i);
		cr_expect_eq(phases, row[i].taken, "row %zu", i);
		cr_expect_eq(variant->ops->run(state, NULL, &(struct gb_error){ 0 }) == GB_OK,
			     row[i].ns >= 0 && isfinite(row[i].ns), "row %zu", i);
		end();
	}
}

/* ---- time without a processor ------------------------------------------------------------- */

/* "ran waited" of this thread and the other process, before and after a run; read by pread(). */
static const double (*waits)[4][2];
static size_t reads;

ssize_t pread(int from, void *to, size_t bytes, off_t at)
{
	const double *two;

	if (!waits)
		return syscall(SYS_pread64, from, to, bytes, at);
	two = (*waits)[reads++ % 4];
	return snprintf(to, bytes, "%.0f %.0f 1", two[0], two[1]);
}

Test(remote, lost_time)
{
	/* In thousands of seconds, so that the process' own CPU time is nothing. */
	static const struct {
		double at[4][2];
		double lost;
	} row[] = {
		/* Both wait, the other one for 7, while its other threads work for 2. */
		{ { { 0, 1e12 }, { 5e12, 2e12 }, { 0, 4e12 }, { 3e12, 9e12 } }, 8e12 },
		/* They cannot have worked for less than nothing. */
		{ { { 0, 1e12 }, { 5e12, 2e12 }, { 0, 4e12 }, { 9e12, 9e12 } }, 10e12 },
		/* They worked all the time. */
		{ { { 0, 1e12 }, { 5e12, 2e12 }, { 0, 4e12 }, { 3e12, 3e12 } }, 3e12 },
	};
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		begin();
		waits = &row[i].at;
		reads = 0;
		cr_expect_eq(run(&err), GB_OK);
		waits = NULL;
		cr_expect_eq(reads, 4);
		cr_expect_float_eq(lost_ns, row[i].lost, 1e11, "row %zu: %g", i, lost_ns);
		end();
	}
}

/* ---- metrics ------------------------------------------------------------------------------ */

Test(remote, metrics)
{
	static const struct gb_link_metric said[] = {
		{ "own", "", 7 },       { "most", "", 1e18 }, { "more", "", 1.01e18 },
		{ "least", "", 0 },     { "less", "", -1 },   { "none", "", NAN },
		{ "hash", "0x1f", -1 }, { "a b\x01", "", 3 },
	};
	static const char *const names[] = { "own", "most", "least", "hash", "a b?" };
	static const double values[] = { 1, 1e18, 0, 0, 3 };
	struct gb_metrics to = { 0 };

	memcpy(script.board.metric, said, sizeof said);
	script.board.metrics = GB_COUNT(said);
	begin();
	gb_metric(&to, "own", 1);
	variant->ops->metrics(state, &to);
	cr_assert_eq(to.count, GB_COUNT(names));
	for (size_t i = 0; i < to.count; i++) {
		cr_expect_str_eq(to.item[i].name, names[i]);
		if (!to.item[i].text[0])
			cr_expect_eq(to.item[i].value, values[i], "%s", names[i]);
	}
	cr_expect_str_eq(to.item[3].text, "0x000000000000001f");
	end();
	/* No more than fit, and none of a process that gives none. */
	for (size_t i = 0; i < GB_MAX_METRICS; i++)
		(void)snprintf(script.board.metric[i].name, sizeof said->name, "m%zu", i);
	script.board.metrics = SIZE_MAX;
	for (int refused = 0; refused < 2; refused++) {
		script.refused = refused ? GB_ASK_METRICS : -1;
		begin();
		to.count = 0;
		variant->ops->metrics(state, &to);
		cr_expect_eq(to.count, refused ? 0 : GB_MAX_METRICS - 3);
		end();
	}
}

/* ---- counts ------------------------------------------------------------------------------- */

/* Only an object of bounded size is taken. */
Test(remote, counts)
{
	static const struct {
		const char *text;
		int64_t bytes;
		const char *taken; /* NULL: nothing */
	} row[] = {
		{ "{ \"a\": 1 }+", 10, "{\"a\":1}" },
		{ "[1]", 3, NULL },
		{ "{\"a\":1}", 6, NULL },
		{ "{}", -1, NULL },
		{ "{}", GB_LINK_COUNTS + 1, NULL },
		{ "{}", GB_LINK_COUNTS, "{}" },
	};
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char *const counts = script.board.counts;

		memset(counts, ' ', sizeof script.board.counts);
		memcpy(counts, row[i].text, strlen(row[i].text));
		script.answer[GB_ASK_COUNTS].number[0] = row[i].bytes;
		begin();
		for (int k = 0; k < 2; k++) {
			const char *taken = gb_remote_counter.counts();

			cr_assert_eq(taken != NULL, row[i].taken != NULL, "row %zu", i);
			if (taken)
				cr_expect_str_eq(taken, row[i].taken);
		}
		end();
	}
	script.refused = GB_ASK_COUNTS;
	begin();
	cr_expect_null(gb_remote_counter.counts());
	end();
	/* A request of runs says whether the first is counted. */
	script.refused = GB_ASK_RUNS;
	begin();
	for (int on = 1; on >= 0; on--) {
		gb_remote_counter.count(on);
		(void)run(&err);
		cr_expect_str_eq(err.message, on ? "6: 5 1 0 1" : "6: 5 1 0 0");
	}
	end();
}

/* ---- tables ------------------------------------------------------------------------------- */

Test(remote, tables)
{
	static const struct {
		struct gb_link_variant variant;
		unsigned flags;
		bool good;
	} row[] = {
#define COPIES (~(unsigned)(GB_CONVERTS | GB_DERIVES))
		{ { "radix", "a", "b", GB_CPU, ~0U }, COPIES, true },
		{ { "stream", "a", "b", GB_CUDA, ~0U }, COPIES, true },
		{ { "lbvh", "a-1", "b", GB_VULKAN, ~0U }, COPIES, true },
		{ { "lbvh", "a", "b", GB_BACKENDS, 0 }, 0, false },
		{ { "lbvh", "A", "b", GB_CPU, 0 }, 0, false },
		{ { "toys", "a", "b", GB_CPU, 0 }, 0, false },
		{ { "lbvh", "", "b", GB_CPU, 0 }, 0, false },
	};
	const size_t first = gb_variant_count;
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const size_t before = gb_variant_count;
		const struct gb_variant *last;

		script.board.variant[0] = row[i].variant;
		cr_expect_eq(load(&err), row[i].good ? GB_OK : GB_EUSAGE, "row %zu", i);
		cr_expect_eq(gb_variant_count - before, row[i].good, "row %zu", i);
		cr_expect(row[i].good || strstr(err.message, ": its table is not valid"));
		last = &gb_variants[gb_variant_count - 1];
		if (!row[i].good)
			continue;
		cr_expect_eq(last->ops->flags, row[i].flags, "row %zu", i);
		cr_expect_eq(last->backend, row[i].variant.backend);
		cr_expect_str_eq(last->workload, row[i].variant.workload);
		cr_expect_str_eq(last->name, row[i].variant.name);
		cr_expect_str_eq(last->summary, "b");
		cr_expect_eq(last->plugin, file);
	}
	cr_expect_str_eq(file->name, "toys");
	cr_expect_str_eq(file->version, "1?");
	/* A variant after one that is not valid is not listed; no more than fit are. */
	script.board.variants = SIZE_MAX;
	for (size_t i = 0; i < GB_LINK_VARIANTS; i++)
		script.board.variant[i] = row[0].variant;
	cr_expect_eq(load(&err), GB_OK);
	cr_expect_eq(gb_variant_count - first, 3 + GB_LINK_VARIANTS);
	script.board.variant[1].name[0] = '\0';
	cr_expect_eq(load(&err), GB_EUSAGE);
	cr_expect_eq(gb_variant_count - first, 3 + GB_LINK_VARIANTS + 1);
	/* A failure of the process names the file. */
	script.answer[GB_ASK_TABLE] = (struct gb_message){ .word = GB_ERUNTIME, .text = "no" };
	cr_expect_eq(load(&err), GB_EUSAGE);
	cr_expect(strstr(err.message, path) == err.message && strstr(err.message, ": no"));
}

Test(remote, back_ends)
{
	struct gb_error err = { 0 };

	begin();
	cr_expect_eq(backend->open(99, &err), GB_OK);
	cr_expect_eq(backend->synchronize(&err), GB_OK);
	cr_expect_eq(backend->flush, gb_backends[GB_CPU]->flush);
	cr_expect_eq(backend->timer, &gb_cpu_timer);
	cr_expect_null(backend->counter);
	cr_expect_null(backend->sm_clock_hz);
	cr_expect_null(backend->state);
	err = (struct gb_error){ .code = GB_ERUNTIME };
	cr_expect_eq(backend->synchronize(&err), GB_ERUNTIME);
	end();
	/* An operation after the process has ended. */
	begin();
	cr_expect_eq(kill(backend->remote->process(state), SIGKILL), 0);
	err = (struct gb_error){ 0 };
	cr_expect_eq(variant->ops->upload(state, &err), GB_ERUNTIME);
	cr_expect_str_eq(err.message, "the plug-in crashed in upload(): Killed");
	end();
}
