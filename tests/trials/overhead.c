/* overhead.c -- how much of its time a run of gpubench spends on evidence.
 *
 * The linker puts the functions __wrap_NAME below in the place of those that other files call (ld
 * --wrap).  When the program ends, it prints to stderr the seconds of each part and their ratio to
 * the rest of the time.  Not counted as evidence are verifications that a measurement needs anyway:
 * those of the first run, of the first sample of each kind of work, of a secret one and of the
 * last.  Their new inputs are.  On the CPU only: the work of a device is not waited for.
 */
#include <stdio.h>

#include "cli/measuring/bandwidth.h"
#include "cli/measuring/doubt.h"
#include "cli/measuring/evidence.h"
#include "cli/measuring/runner.h"

enum part { REST, POISON, INPUT, VERIFY, SAMPLES, WHOLE, BROKEN, COPIES, PARTS };
static const char *const name[PARTS] = {
	"rest",       "poison", "inputs", "verification", "samples to judge",
	"whole runs", "pauses", "copies"
};
static double spent_ns[PARTS], since_ns;
static enum part now;

/* The time until now is that of a part; what follows is that of part `next`. */
static enum part enter(enum part next)
{
	const double ns = gb_now_ns();
	const enum part before = now;

	spent_ns[now] += ns - since_ns;
	since_ns = ns;
	now = next;
	return before;
}

__attribute__((constructor)) static void begin(void)
{
	since_ns = gb_now_ns();
}

__attribute__((destructor)) static void end(void)
{
	double evidence_ns = 0;

	(void)enter(REST);
	for (int i = REST + 1; i < PARTS; i++)
		evidence_ns += spent_ns[i];
	for (int i = 0; i < PARTS; i++)
		(void)fprintf(stderr, "%-16s %8.2f s %6.2f %%\n", name[i], spent_ns[i] * 1e-9,
			      spent_ns[i] / spent_ns[REST] * 100);
	(void)fprintf(stderr, "%-16s %8.2f s %6.2f %% of the rest\n", "evidence",
		      evidence_ns * 1e-9, evidence_ns / spent_ns[REST] * 100);
}

/* Calls of NAME(PARAMETERS) belong to a part. */
#define TIMED(to, type, name, parameters, ...)                  \
	type __real_##name parameters;                          \
	type __wrap_##name parameters                           \
	{                                                       \
		const enum part before = enter(to);             \
		const type result = __real_##name(__VA_ARGS__); \
                                                                \
		(void)enter(before);                            \
		return result;                                  \
	}
#define STEP(to, name) TIMED(to, enum gb_status, name, (struct gb_measurement * m), m)

STEP(POISON, gb_poison_result)
TIMED(INPUT, enum gb_status, gb_renew_input, (struct gb_measurement * m, bool change), m, change)
STEP(SAMPLES, gb_take_evidence)
STEP(SAMPLES, gb_sample_clocks)
STEP(SAMPLES, gb_sample_alone)
STEP(WHOLE, gb_whole_run)
STEP(BROKEN, gb_broken_run)
TIMED(COPIES, double, gb_copy_again,
      (enum gb_backend backend, int threads, const struct gb_settings *how), backend, threads, how)

/* ---- verifications ------------------------------------------------------------------------- */

static int64_t verified; /* samples of the measurement */
static bool needed;      /* the next verification is */

enum gb_status __real_gb_verify_run(struct gb_measurement *m);
enum gb_status __wrap_gb_verify_run(struct gb_measurement *m)
{
	const enum part before = enter(needed ? REST : VERIFY);
	const enum gb_status status = __real_gb_verify_run(m);

	needed = false;
	(void)enter(before);
	return status;
}

enum gb_status __real_gb_verify_sample(struct gb_measurement *m);
enum gb_status __wrap_gb_verify_sample(struct gb_measurement *m)
{
	const enum part before = enter(VERIFY);
	enum gb_status status;

	needed = before == REST && verified++ < m->distinct + 2;
	status = __real_gb_verify_sample(m);
	(void)enter(before);
	return status;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static const struct gb_workload *workload;
static const struct gb_variant_ops *ops;
static bool is_first;

static bool vary(const void *params, void *input, uint64_t key)
{
	const enum part before = enter(INPUT);
	const bool varies = workload->vary(params, input, key);

	(void)enter(before);
	return varies;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	const enum part before = enter(is_first ? now : INPUT);
	const enum gb_status status = ops->upload(state, err);

	is_first = false;
	(void)enter(before);
	return status;
}

enum gb_status __real_gb_run(struct gb_result *result, void *input, const struct gb_settings *how,
			     bool timed, struct gb_error *err);
enum gb_status __wrap_gb_run(struct gb_result *result, void *input, const struct gb_settings *how,
			     bool timed, struct gb_error *err)
{
	const struct gb_variant *const own = result->variant;
	struct gb_workload timed_workload = *result->workload;
	struct gb_variant variant = *own;
	struct gb_variant_ops timed_ops;
	enum gb_status status;

	needed = now == REST;
	if (!needed)
		return __real_gb_run(result, input, how, timed, err);
	verified = 0;
	is_first = true;
	workload = result->workload;
	ops = own->ops;
	if (workload->vary)
		timed_workload.vary = vary;
	if (ops) {
		timed_ops = *ops;
		if (ops->upload)
			timed_ops.upload = upload;
		variant.ops = &timed_ops;
	}
	result->workload = &timed_workload;
	result->variant = &variant;
	status = __real_gb_run(result, input, how, timed, err);
	result->workload = workload;
	result->variant = own;
	return status;
}
