/* worker.c -- see worker.h. */
#include "cli/plugins/worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/plugins/cage.h"
#include "cli/plugins/link.h"
#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/devices.h"
#include "common/text.h"

/* ---- the table ---------------------------------------------------------------------------- */

bool gb_plugin_is_name(const char *name)
{
	return name && *name && *name != '-' && strlen(name) < 48 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static enum gb_status check_variant(const char *path, const struct gb_plugin_variant *v,
				    struct gb_error *err)
{
	if (!gb_plugin_is_name(v->name) || !v->workload || !v->summary || !v->ops)
		return gb_fail(err, GB_EUSAGE,
			       "%.200s: a variant needs a workload, a name of letters a-z, digits "
			       "and hyphens, a summary and operations",
			       path);
	if (!gb_workload_find(v->workload))
		return gb_fail(err, GB_EUSAGE, "%.200s: '%.40s' is not a benchmark", path,
			       v->workload);
	if ((unsigned)v->backend >= GB_BACKENDS || v->backend == GB_VULKAN)
		return gb_fail(err, GB_EUSAGE, "%.200s: %s: the back end must be GB_CPU or GB_CUDA",
			       path, v->name);
	if (!v->ops->state_size || !v->ops->create || !v->ops->run || !v->ops->download)
		return gb_fail(err, GB_EUSAGE,
			       "%.200s: %s: state_size, create, run and download are required",
			       path, v->name);
	return GB_OK;
}

const struct gb_plugin *gb_plugin_open(const char *path, struct gb_error *err)
{
	const struct gb_plugin *plugin;
	struct stat info;
	void *file;

	if (stat(path, &info)) {
		gb_fail(err, GB_EUSAGE, "%.200s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(info.st_mode)) {
		gb_fail(err, GB_EUSAGE, "%.200s: not a regular file", path);
		return NULL;
	}
	file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!file) {
		gb_fail(err, GB_EUSAGE, "%.400s", dlerror());
		return NULL;
	}
	plugin = dlsym(file, "gpubench_plugin");
	if (!plugin) {
		gb_fail(err, GB_EUSAGE, "%.200s: does not define gpubench_plugin (see GB_PLUGIN)",
			path);
		return NULL;
	}
	if (plugin->abi != GB_PLUGIN_ABI) {
		gb_fail(err, GB_EUSAGE, "%.200s: has ABI %d, this program %d", path, plugin->abi,
			GB_PLUGIN_ABI);
		return NULL;
	}
	if (plugin->ops_size > sizeof(struct gb_variant_ops) || !gb_plugin_is_name(plugin->name) ||
	    !plugin->version || !plugin->variant || plugin->count < 1 ||
	    plugin->count > GB_LINK_VARIANTS) {
		gb_fail(err, GB_EUSAGE,
			"%.200s: a plug-in needs a name, a version and 1 to %d variants", path,
			GB_LINK_VARIANTS);
		return NULL;
	}
	for (size_t i = 0; !err->code && i < plugin->count; i++)
		(void)check_variant(path, &plugin->variant[i], err);
	return err->code ? NULL : plugin;
}

/* ---- the judged process ------------------------------------------------------------------- */

static struct worker {
	struct gb_board *board;
	const struct gb_plugin *plugin;
	const struct gb_workload *workload;
	const struct gb_backend_ops *backend;
	struct gb_variant_ops ops;
	const unsigned char *shown; /* the files */
	unsigned char *output;
	size_t shown_bytes, output_bytes;
	void *params, *input, *state, *result;
	void **array; /* the arrays of the input, in order */
	size_t arrays, room;
	size_t base[2]; /* memory in use before create() */
	struct gb_timer timer;
} w;

static void copy_text(char *to, size_t room, const char *from)
{
	(void)snprintf(to, room, "%.*s", (int)room - 1, from ? from : "");
}

static enum gb_status list_variants(const char *path, struct gb_error *err)
{
	struct gb_board *b = w.board;

	w.plugin = gb_plugin_open(path, err);
	if (!w.plugin)
		return err->code;
	copy_text(b->name, sizeof b->name, w.plugin->name);
	copy_text(b->version, sizeof b->version, w.plugin->version);
	b->variants = w.plugin->count;
	for (size_t i = 0; i < w.plugin->count; i++) {
		const struct gb_plugin_variant *v = &w.plugin->variant[i];
		struct gb_link_variant *to = &b->variant[i];

		copy_text(to->workload, sizeof to->workload, v->workload);
		copy_text(to->name, sizeof to->name, v->name);
		copy_text(to->summary, sizeof to->summary, v->summary);
		to->backend = v->backend;
		to->flags = v->ops->flags;
	}
	return GB_OK;
}

static enum gb_status read_params(struct gb_error *err)
{
	w.params = malloc(w.workload->params_size);
	if (!w.params)
		return gb_out_of_memory(err, NULL);
	memcpy(w.params, w.board->params, w.workload->params_size);
	return GB_OK;
}

struct reader {
	size_t at; /* in the file */
	size_t arrays;
	struct gb_error *err;
};

/* Let *pointer be a copy of the next bytes of the file, in the memory of the last time. */
static void read_array(void *reader, void **pointer, size_t bytes)
{
	struct reader *r = reader;

	if (r->arrays == w.room) {
		void **more = realloc(w.array, (2 * w.room + 8) * sizeof *more);

		if (!more) {
			gb_out_of_memory(r->err, NULL);
			return;
		}
		w.array = more;
		memset(w.array + w.room, 0, (w.room + 8) * sizeof *more);
		w.room = 2 * w.room + 8;
	}
	if (bytes && !w.array[r->arrays])
		w.array[r->arrays] = gb_host_alloc(bytes, 1, r->err);
	*pointer = w.array[r->arrays++];
	if (!r->err->code && bytes)
		memcpy(*pointer, w.shown + r->at, bytes);
	r->at += bytes;
}

static enum gb_status read_input(struct gb_error *err)
{
	struct reader reader = { .at = w.workload->input_size, .err = err };

	memcpy(w.input, w.shown, w.workload->input_size);
	w.workload->show(w.input, read_array, &reader);
	return err->code;
}

/* Limit what the plug-in may use beside what the process has now. */
static enum gb_status limit_memory(int64_t bytes, struct gb_error *err)
{
	FILE *file = bytes ? fopen("/proc/self/statm", "re") : NULL;
	struct rlimit limit;
	long pages = 0;

	if (!bytes)
		return GB_OK;
	if (file && fscanf(file, "%ld", &pages) != 1)
		pages = 0;
	if (file)
		(void)fclose(file);
	limit.rlim_cur = limit.rlim_max = (rlim_t)bytes + (rlim_t)(pages * sysconf(_SC_PAGESIZE));
	/* A CUDA context reserves far more address space than it uses. */
	if (setrlimit(w.backend->fill ? RLIMIT_DATA : RLIMIT_AS, &limit))
		return gb_fail(err, GB_ERUNTIME, "cannot limit memory: %s", strerror(errno));
	return GB_OK;
}

static enum gb_status create(const struct gb_message *ask, struct gb_error *err)
{
	const struct gb_plugin_variant *v = &w.plugin->variant[ask->number[0]];

	memcpy(&w.ops, v->ops, w.plugin->ops_size);
	w.workload = gb_workload_find(v->workload);
	w.backend = gb_backends[v->backend];
	w.shown_bytes = (size_t)ask->number[2];
	w.output_bytes = (size_t)ask->number[3];
	w.shown = gb_link_map(GB_LINK_INPUT, w.shown_bytes, false);
	w.output = gb_link_map(GB_LINK_OUTPUT, w.output_bytes, true);
	w.input = calloc(1, w.workload->input_size);
	if (!w.shown || !w.output || !w.input)
		return gb_out_of_memory(err, "the input");
	if (gb_device_open(v->backend, (int)ask->number[1], err) || read_params(err) ||
	    read_input(err))
		return err->code;
	w.result = gb_host_alloc(w.output_bytes, 1, err);
	w.timer = (struct gb_timer){ .ops = w.backend->timer, .err = err };
	if (!w.result || w.timer.ops->create(&w.timer.clock, err))
		return err->code;
	for (int k = 0; k < 2; k++)
		w.base[k] = gb_memory_used((enum gb_memory_kind)k);
	gb_memory_mark();
	if (limit_memory(ask->number[4], err) ||
	    gb_state_create(&w.ops, w.params, w.input, &w.state, err))
		return err->code;
	copy_text(w.board->excluded, sizeof w.board->excluded,
		  w.ops.excluded ? w.ops.excluded(w.params) : NULL);
	return GB_OK;
}

static double cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static enum gb_status runs(const struct gb_message *ask, struct gb_message *answer,
			   struct gb_error *err)
{
	const bool held = ask->number[1] && w.backend->hold;
	const bool counted = ask->number[3] && w.backend->counter;
	struct gb_phase_time phase[GB_MAX_PHASES];
	size_t phases = GB_MAX_PHASES;
	double queued_ns;

	w.timer.phases = ask->number[2] != 0;
	queued_ns = cpu_ns();
	if (held && w.backend->hold(err))
		return err->code;
	gb_timer_begin(&w.timer);
	for (int64_t i = 0; i < ask->number[0] && !err->code; i++) {
		if (counted)
			w.backend->counter->count(i == 0);
		(void)w.ops.run(w.state, &w.timer, err);
	}
	if (counted)
		w.backend->counter->count(false);
	gb_timer_end(&w.timer);
	answer->ns[1] = cpu_ns() - queued_ns;
	if (held) {
		struct gb_error release = { 0 };

		if (w.backend->let_go(&release))
			gb_fail(err, release.code, "%s", release.message);
	}
	if (err->code || w.backend->synchronize(err) ||
	    gb_timer_read(&w.timer, &answer->ns[0], phase, &phases))
		return err->code;
	answer->number[0] = held && w.backend->has_held();
	answer->number[1] = w.timer.named;
	answer->number[2] = (int64_t)phases;
	for (size_t i = 0; i < phases; i++) {
		copy_text(w.board->phase[i].name, sizeof w.board->phase[i].name, phase[i].name);
		w.board->phase[i].ns = phase[i].ns;
	}
	return GB_OK;
}

static enum gb_status download(struct gb_error *err)
{
	if (w.ops.download(w.state, w.result, err))
		return err->code;
	memcpy(w.output, w.result, w.output_bytes);
	return GB_OK;
}

static void put_metrics(void)
{
	struct gb_metrics metrics = { 0 };

	if (w.ops.metrics)
		w.ops.metrics(w.state, &metrics);
	w.board->metrics = metrics.count < GB_MAX_METRICS ? metrics.count : GB_MAX_METRICS;
	for (size_t i = 0; i < w.board->metrics; i++) {
		struct gb_link_metric *to = &w.board->metric[i];

		copy_text(to->name, sizeof to->name, metrics.item[i].name);
		copy_text(to->text, sizeof to->text, metrics.item[i].text);
		to->value = metrics.item[i].value;
	}
}

static enum gb_status put_counts(struct gb_message *answer, struct gb_error *err)
{
	const char *counts = w.backend->counter ? w.backend->counter->counts() : "";
	const size_t bytes = strlen(counts);

	if (bytes > sizeof w.board->counts)
		return gb_fail(err, GB_ERUNTIME, "the counts take %zu bytes, and %d is the most",
			       bytes, GB_LINK_COUNTS);
	memcpy(w.board->counts, counts, bytes);
	answer->number[0] = (int64_t)bytes;
	return GB_OK;
}

static int64_t children(void)
{
	struct rusage usage;
	siginfo_t info;

	(void)getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt + !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

static enum gb_status answer_to(const struct gb_message *ask, struct gb_message *answer,
				struct gb_error *err)
{
	switch ((enum gb_request_word)ask->word) {
	case GB_ASK_TABLE:
		return list_variants(ask->text, err);
	case GB_ASK_CREATE:
		return create(ask, err);
	case GB_ASK_INPUT:
		return read_input(err);
	case GB_ASK_UPLOAD:
		return gb_state_upload(&w.ops, w.state, err) ? err->code
							     : w.backend->synchronize(err);
	case GB_ASK_RESET:
		return w.ops.reset ? w.ops.reset(w.state, ask->number[0], err) : GB_OK;
	case GB_ASK_FLUSH:
		return w.backend->flush(err) ? err->code : w.backend->synchronize(err);
	case GB_ASK_RUNS:
		return runs(ask, answer, err);
	case GB_ASK_POISON:
		return gb_memory_poison(w.state, (unsigned char)ask->number[0], w.backend->fill,
					err);
	case GB_ASK_DOWNLOAD:
		return download(err);
	case GB_ASK_METRICS:
		put_metrics();
		return GB_OK;
	case GB_ASK_COUNTS:
		return put_counts(answer, err);
	case GB_ASK_CHILDREN:
		answer->number[0] = children();
		return GB_OK;
	case GB_ASK_END:
		gb_state_destroy(&w.ops, w.state);
		w.state = NULL;
		return GB_OK;
	}
	return gb_fail(err, GB_ERUNTIME, "unknown request");
}

int gb_worker(void)
{
	struct gb_error caged = { 0 }, err;
	struct gb_message ask;

	/* Waiting threads of LLVM's OpenMP would spin for 200 ms, as if they were at work. */
	if (!getenv("OMP_WAIT_POLICY"))
		(void)setenv("KMP_BLOCKTIME", "0", 0);
	(void)gb_cage(&caged);
	w.board = gb_link_map(GB_LINK_BOARD, sizeof *w.board, true);
	while (w.board && gb_message_receive(GB_LINK_SOCKET, &ask)) {
		struct gb_message answer = { .ticket = ask.ticket };

		err = caged;
		answer.word = (int32_t)(err.code ? err.code : answer_to(&ask, &answer, &err));
		for (int k = 0; k < 2; k++)
			answer.peak[k] = gb_memory_peak((enum gb_memory_kind)k) - w.base[k];
		(void)snprintf(answer.text, sizeof answer.text, "%s", err.message);
		if (!gb_message_send(GB_LINK_SOCKET, &answer))
			break;
	}
	return 0;
}
