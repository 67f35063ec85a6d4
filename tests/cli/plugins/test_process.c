/* test_process.c -- the judge's link to the process of a plug-in: files in memory, messages, and
 * the reasons if it does not answer as it should.  tests/plugins.py runs whole plug-ins.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/plugins/process.h"
#include "cli/plugins/sha256.h"
#include "cli/plugins/worker.h"
#include "common/text.h"

/* ---- digests ------------------------------------------------------------------------------ */

/* `bytes` times "a": around the lengths that take another block. */
static const struct {
	size_t bytes;
	const char *hex;
} digests[] = {
	{ 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
	{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
	{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
	{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
	{ 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e" },
	{ 200, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5" },
};

Test(process, digests)
{
	char text[200], hex[65], path[] = "/tmp/gpubench-digest-XXXXXX";
	const int file = mkstemp(path);
	struct gb_error err = { 0 };

	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < GB_COUNT(digests); i++) {
		gb_sha256(text, digests[i].bytes, hex);
		cr_expect_str_eq(hex, digests[i].hex, "%zu bytes", digests[i].bytes);
	}
	cr_assert_eq(write(file, text, 1), 1);
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_OK, "%s", err.message);
	cr_expect_str_eq(hex, digests[1].hex);
	cr_assert_eq(ftruncate(file, 0), 0);
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, ": is empty"), "%s", err.message);
	(void)close(file);
	(void)unlink(path);
	err = (struct gb_error){ 0 };
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, ": No such file"), "%s", err.message);
}

/* ---- texts -------------------------------------------------------------------------------- */

Test(process, names)
{
	static const struct {
		const char *name;
		bool good;
	} row[] = {
		{ NULL, false },
		{ "", false },
		{ "a", true },
		{ "-a", false },
		{ "a-", true },
		{ "0z9", true },
		{ "a_b", false },
		{ "aB", false },
		{ "a/b", false },
		{ "a23456789-a23456789-a23456789-a23456789-a234567", true },
		{ "a23456789-a23456789-a23456789-a23456789-a2345678", false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_eq(gb_plugin_is_name(row[i].name), row[i].good, "row %zu", i);
}

Test(process, texts_of_the_other_process)
{
	static const struct {
		size_t room;
		const char *from, *to;
	} row[] = {
		{ 8, "a b", "a b" },     { 8, " ~", " ~" },    { 8, "\037\177\xff", "???" },
		{ 4, "abcdefg", "abc" }, { 1, "abcdefg", "" },
	};
	char from[9], to[9];

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		memset(from, 'x', sizeof from);
		memcpy(from, row[i].from, strlen(row[i].from) + 1);
		memset(to, '!', sizeof to);
		gb_take_text(to, row[i].room, from);
		cr_expect_str_eq(to, row[i].to, "row %zu", i);
		cr_expect_eq(to[row[i].room], '!', "row %zu", i);
	}
}

/* ---- files and messages ------------------------------------------------------------------- */

Test(process, files_in_memory)
{
	for (size_t bytes = 0; bytes < 3; bytes++) {
		const int file = gb_memory_file(bytes);
		struct stat info;
		char *to;

		cr_assert_geq(file, 2 * GB_LINK_END);
		cr_expect(fcntl(file, F_GETFD) & FD_CLOEXEC);
		cr_assert_eq(fstat(file, &info), 0);
		cr_expect_eq(info.st_size, bytes ? (off_t)bytes : 1);
		cr_expect_neq(ftruncate(file, 0), 0);
		cr_expect_neq(ftruncate(file, 9), 0);
		to = gb_link_map(file, bytes, true);
		cr_assert(to != NULL);
		to[0] = 'a';
		cr_expect_eq(((const char *)gb_link_map(file, bytes, false))[0], 'a');
		(void)close(file);
	}
	cr_expect_null(gb_link_map(-1, 1, false));
}

/* The first descriptor from there on that is not in use. */
static int unused(int from)
{
	const int file = fcntl(STDERR_FILENO, F_DUPFD, from);

	(void)close(file);
	return file;
}

/* A file that cannot have its size is closed. */
Test(process, no_room_for_files)
{
	const struct rlimit none = { 0, 0 };
	const int first = unused(2 * GB_LINK_END);
	struct gb_process p = { 0 };
	struct gb_error err = { 0 };

	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	cr_expect_eq(gb_memory_file(1), -1);
	cr_expect_eq(unused(2 * GB_LINK_END), first);
	cr_expect_eq(gb_process_start(&p, -1, -1, &err), GB_ERUNTIME);
	cr_expect(strstr(err.message, "cannot make shared memory: "), "%s", err.message);
}

Test(process, messages)
{
	struct gb_message sent = { .word = 3, .ticket = 4, .ns = { 5 } }, got;
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	memset(sent.text, 'a', sizeof sent.text);
	cr_expect(gb_message_send(pair[0], &sent));
	cr_assert(gb_message_receive(pair[1], &got));
	cr_expect_eq(got.word, 3);
	cr_expect_eq(got.ticket, 4);
	cr_expect_eq(strlen(got.text), sizeof got.text - 1);
	cr_expect_eq(send(pair[0], &sent, sizeof sent - 1, 0), (ssize_t)(sizeof sent - 1));
	cr_expect_not(gb_message_receive(pair[1], &got));
	(void)close(pair[0]);
	cr_expect_not(gb_message_receive(pair[1], &got));
	cr_expect_not(gb_message_send(pair[1], &sent)); /* and no SIGPIPE */
	(void)close(pair[1]);
}

/* ---- answers ------------------------------------------------------------------------------ */

/* The other process answers a request in one of these ways. */
enum act { ANSWER, STRANGE, EXIT, CRASH, CLOSE, WAIT, EARLY };

static void act(int socket, enum act how, int number)
{
	struct gb_message message;

	(void)alarm(60);
	if (how == EARLY)
		_exit(number);
	(void)gb_message_receive(socket, &message);
	if (how == EXIT)
		_exit(number);
	if (how == CRASH)
		(void)kill(getpid(), number);
	if (how == CLOSE)
		(void)close(socket);
	if (how == ANSWER || how == STRANGE) {
		message.ticket += how == STRANGE;
		message.word = number;
		message.peak[0] = 7;
		message.peak[1] = 9;
		(void)snprintf(message.text, sizeof message.text, "why\n");
		(void)gb_message_send(socket, &message);
	}
	for (;;)
		(void)pause();
}

static const struct {
	enum act how;
	int number; /* the answer's status, the exit status or the signal */
	enum gb_request_word ask;
	double timeout_s;
	enum gb_status code;
	const char *message;
} answers[] = {
	{ ANSWER, GB_OK, GB_ASK_RUNS, 60, GB_OK, "" },
	{ ANSWER, GB_EUNAVAILABLE, GB_ASK_RUNS, 60, GB_EUNAVAILABLE, "why?" },
	{ ANSWER, GB_EMEMORY, GB_ASK_RUNS, 60, GB_EMEMORY, "why?" },
	{ ANSWER, GB_EVERIFY, GB_ASK_RUNS, 60, GB_ERUNTIME, "why?" },
	{ ANSWER, 1000, GB_ASK_RUNS, 60, GB_ERUNTIME, "why?" },
	{ STRANGE, GB_OK, GB_ASK_UPLOAD, 60, GB_EVERIFY,
	  "in upload(), there was an answer that is not the program's" },
	{ EXIT, 3, GB_ASK_CREATE, 60, GB_ERUNTIME,
	  "the plug-in ended its process with status 3 in create()" },
	{ CRASH, SIGKILL, GB_ASK_DOWNLOAD, 60, GB_ERUNTIME,
	  "the plug-in crashed in download(): Killed" },
	{ CLOSE, 0, GB_ASK_TABLE, 60, GB_ERUNTIME, "the plug-in closed its link in loading" },
	{ EARLY, 4, GB_ASK_METRICS, 60, GB_ERUNTIME,
	  "the plug-in ended its process with status 4 in metrics()" },
	{ WAIT, 0, GB_ASK_RESET, 0.03, GB_ERUNTIME, "time-out: reset() did not end within 0.03 s" },
	{ WAIT, 0, GB_ASK_FLUSH, 0.3, GB_ERUNTIME, "time-out: a flush did not end within 0.3 s" },
	{ WAIT, 0, GB_ASK_FLUSH, 0.5, GB_ERUNTIME, "time-out: a flush did not end within 0.5 s" },
};

Test(process, answers)
{
	double late = INFINITY; /* the least time of a time-out, by its limit */

	for (size_t i = 0; i < GB_COUNT(answers); i++) {
		struct gb_process p = { .timeout_s = answers[i].timeout_s };
		struct gb_message message = { .word = (int32_t)answers[i].ask };
		struct gb_error err = { 0 };
		double start_ns;
		siginfo_t end;
		int pair[2];

		cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		p.socket = pair[0];
		p.board = gb_link_map(gb_memory_file(sizeof *p.board), sizeof *p.board, true);
		p.pid = fork();
		cr_assert_geq(p.pid, 0);
		if (p.pid == 0) {
			(void)close(pair[0]);
			act(pair[1], answers[i].how, answers[i].number);
		}
		(void)close(pair[1]);
		if (answers[i].how == EARLY)
			(void)waitid(P_PID, (id_t)p.pid, &end, WEXITED | WNOWAIT);
		start_ns = gb_now_ns();
		cr_expect_eq(gb_process_ask(&p, &message, &err), answers[i].code, "row %zu: %s", i,
			     err.message);
		if (answers[i].how == WAIT)
			late = fmin(late, (gb_now_ns() - start_ns) / 1e9 / answers[i].timeout_s);
		cr_expect_str_eq(err.message, answers[i].message, "row %zu: %s", i, err.message);
		/* A process that gave an answer lives on. */
		cr_expect_eq(p.pid > 0 && p.board, answers[i].how == ANSWER, "row %zu", i);
		if (answers[i].how == ANSWER) {
			cr_expect_eq(p.peak[0], 7);
			cr_expect_eq(p.peak[1], 9);
			gb_interrupted = 1;
			message.word = (int32_t)answers[i].ask;
			cr_expect_eq(gb_process_ask(&p, &message, &(struct gb_error){ 0 }),
				     GB_EINTERRUPTED);
			gb_interrupted = 0;
		}
		cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "row %zu", i);
		err = (struct gb_error){ 0 };
		message.word = (int32_t)answers[i].ask;
		cr_expect_eq(gb_process_ask(&p, &message, &err), GB_ERUNTIME);
		cr_expect_str_eq(err.message, "the plug-in's process has ended");
		gb_process_stop(&p);
		cr_expect_null(p.board);
	}
	cr_expect(late >= 1 && late < 1.9, "%g", late);
}
