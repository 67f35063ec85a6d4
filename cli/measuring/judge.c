/* judge.c -- decides from the evidence whether times can be those of the work.
 *
 * Limits are wide: noise must not fail an honest measurement, and a variant that cheats gains more.
 * Work that takes less than the slack can be hidden, but gb_doubt_rate() bounds what that gains.
 */
#include "cli/measuring/judge.h"

#include <math.h>
#include <stdio.h>

#include "cli/measuring/evidence.h"
#include "cli/plugins/remote.h"
#include "common/text.h"

enum { LEAST = 3 };                       /* samples of a kind that are compared */
static const double SHORT = 200e3;        /* ns; with hot caches, what is shorter depends on them */
static const double TIMER_SLACK = 20e3;   /* ns, between two readings of clocks on the host */
static const double WORKED_SLACK = 100e3; /* ns of CPU time, for which waiting threads spin */
static const double REQUEST_SLACK = 250e3; /* ns, to send a request after a flush, and to answer */
static const double CLOCKS = 0.25;         /* by which clocks on the host may differ */
static const double DEVICE_SLACK = 200e3;  /* ns, to start work on a device and learn of its end */
static const double STEP_SLACK = 150e3;    /* ns of each thread, for a step outside run() */
static const double CPU_SLACK = 2e6;       /* ns of CPU time, to queue work */
static const double WATCHED = 1.5;         /* times that limit, for the middle of steps */
static const double IDLE_SLACK = 0.5e6;    /* ns of CPU time, in pauses */
static const double CROWDED = 1.25;        /* CPU time per thread and time */
static const double FETCH = 0.2;           /* ns per byte that lies in another cache */
static const double UNFLUSHED = 2;         /* times a cold run, for one without a flush */
static const double ONCE_SLACK = 1e3;      /* ns, for a run that is not one of a batch */
static const double FETCHED = 16;          /* times a run of a batch, to fetch its result */
static const double LAUNCH_SLACK = 5e3;    /* ns, the same on a device */
static const double PCIE = 4;              /* ns per byte that moves to or from a device */
static const double MARGIN = 1.1;          /* times the memory's bandwidth; ... */
static const double HOT_MARGIN = 2;        /* ... without a flush, only copying is known */

static double median(const struct gb_series *series)
{
	return gb_series_quantile(series, 0.5);
}

/* The middle of the samples, or the most if inputs may be different work. */
static double usual_ns(const struct gb_measurement *m)
{
	return gb_series_quantile(&m->result->time, m->distinct > 1 ? 1 : 0.5);
}

static struct gb_work work_of(const struct gb_measurement *m)
{
	return m->result->workload->work(m->result->params, m->input);
}

/* Two times in one unit: "1.5 us", "57 ms". */
struct shown {
	char text[2][GB_TEXT_MAX];
};

static struct shown show(double a_ns, double b_ns)
{
	struct shown s;

	(void)gb_text_time(s.text[0], a_ns);
	(void)gb_text_time(s.text[1], b_ns);
	return s;
}

/* The excess of the runner's clock over the variant's that each of the runs between two readings,
 * which are one request to another process, may have. */
static double clock_slack(const struct gb_measurement *m, int64_t runs)
{
	return m->backend->remote ? REQUEST_SLACK / (double)runs : TIMER_SLACK;
}

double gb_seen_ns(const struct gb_measurement *m, int64_t runs, double ns, double host_ns)
{
	return m->backend->fill ? ns : fmax(ns, host_ns - clock_slack(m, runs));
}

/* True if the middle of samples a takes longer than that of samples b; all of them, if b are short.
 * With hot caches, an input that was just written may lie in other ones; gb_take_evidence() writes
 * it before all. */
static bool are_slower(const struct gb_measurement *m, const struct gb_series *a,
		       const struct gb_series *b, double slack)
{
	const bool is_short = !m->result->cold && median(b) <= SHORT;
	const double ratio = is_short ? 3 : 1.5;

	if (!m->result->cold && !m->evidence.varies)
		slack += FETCH * work_of(m).bytes;
	return a->count >= LEAST && b->count >= LEAST &&
	       gb_series_quantile(a, is_short ? 0 : 0.5) > ratio * median(b) + slack;
}

static enum gb_status compare_samples(const struct gb_measurement *m, const char *what,
				      const struct gb_series *a, const struct gb_series *b,
				      double slack, struct gb_error *err)
{
	struct shown s = show(median(a), median(b));

	if (are_slower(m, a, b, slack))
		return gb_fail(err, GB_EVERIFY,
			       "%s take %s, others %s: results are remembered, or known to be "
			       "verified",
			       what, s.text[0], s.text[1]);
	return GB_OK;
}

/* How much longer a run may take than 4 times one of a batch, which takes time_ns: threads may have
 * to fetch a result that was overwritten, but a batch that works has moved it, too. */
static double once_slack(const struct gb_measurement *m, double time_ns)
{
	if (m->backend->fill)
		return LAUNCH_SLACK;
	return ONCE_SLACK +
	       (m->result->threads > 1 ? fmin(FETCH / 4 * work_of(m).bytes, FETCHED * time_ns) : 0);
}

/* A plug-in's process can work while it flushes its caches.  If it is not asked to, its threads
 * have to wake up, but it cannot take less time than the work does. */
enum gb_status gb_judge_flush(const struct gb_measurement *m, struct gb_error *err)
{
	const struct gb_evidence *e = &m->evidence;
	const struct gb_series *others = e->changed.count > e->same.count ? &e->changed
					 : e->same.count                  ? &e->same
									  : &e->verified;
	const double least = gb_series_quantile(&e->alone, 0);
	const double other = median(e->between.count >= LEAST ? &e->between : others);
	struct shown s = show(least, other);

	if (!(least > 1.5 * other + REQUEST_SLACK))
		return GB_OK;
	return gb_fail(err, GB_EVERIFY,
		       "a run takes %s if only the runner has flushed the caches, and %s "
		       "otherwise: there is work outside run()",
		       s.text[0], s.text[1]);
}

/* Verified samples are on another input too.  If a change is cheap, nearly all samples are:
 * branch predictors learn short inputs by heart, so the same input may honestly take less time. */
enum gb_status gb_judge_samples(const struct gb_measurement *m, struct gb_error *err)
{
	const struct gb_evidence *e = &m->evidence;
	const bool most = e->changed.count > e->same.count;
	const double time = median(&m->result->time);
	struct shown s = show(e->once_ns, time);

	if (isfinite(e->once_ns) && e->once_ns > 4 * time + once_slack(m, time))
		return gb_fail(err, GB_EVERIFY,
			       "a run takes %s if its result was overwritten and is verified, and "
			       "%s in a batch: some runs of a batch do not work",
			       s.text[0], s.text[1]);
	if (compare_samples(m, "verified runs", &e->verified, most ? &e->changed : &e->same,
			    TIMER_SLACK, err) ||
	    compare_samples(m, "by CPU time, verified runs", &e->worked[1], &e->worked[0],
			    WORKED_SLACK, err) ||
	    gb_judge_flush(m, err))
		return err->code;
	return most ? GB_OK
		    : compare_samples(m, "runs on an input that has changed", &e->changed, &e->same,
				      TIMER_SLACK, err);
}

enum gb_status gb_judge_clocks(const struct gb_measurement *m, struct gb_error *err)
{
	const struct gb_result *r = m->result;
	const struct gb_evidence *e = &m->evidence;
	const double time = median(&r->time), host = median(&r->host_time);
	/* The waits that are subtracted from the time in another process are uncertain. */
	const double least = gb_series_quantile(&e->unseen, m->backend->remote ? 0.25 : 0);
	const double unseen = median(&e->unseen); /* by the variant's clock */
	const double slack = clock_slack(m, r->batch);
	struct shown s = show(time, host);

	/* Noise lengthens some samples, a cheat may spare some. */
	if (!m->backend->fill &&
	    (least > CLOCKS * time + slack || unseen > CLOCKS * time + 2 * slack))
		return gb_fail(err, GB_EVERIFY,
			       "the time of a run is %s by the variant's clock and %s by the "
			       "runner's",
			       s.text[0], s.text[1]);
	if (m->backend->fill && unseen > DEVICE_SLACK + 0.25 * host) {
		s = show(host - unseen, host);
		return gb_fail(err, GB_EVERIFY,
			       "a run keeps the device at work for %s, its stream for %s: there is "
			       "work in another stream",
			       s.text[1], s.text[0]);
	}
	if (e->queue_cpu_ns > fmax(CPU_SLACK, 4 * time)) {
		s = show(e->queue_cpu_ns, time);
		return gb_fail(err, GB_EVERIFY,
			       "run() takes %s of CPU time while the device is held back, then %s "
			       "on the device: there is work on the host",
			       s.text[0], s.text[1]);
	}
	return GB_OK;
}

/* The longest time that a step outside run() may take to move so many bytes: on the CPU, three
 * times as long as one copy of them, which reads and writes them. */
static double moving(const struct gb_measurement *m, double bytes)
{
	const double output = (double)m->output_size;
	const struct gb_series *fills = &m->evidence.fill;
	const double fill = output >= 65536 && fills->count ? median(fills) / output : 0.25;

	if (m->backend->fill)
		return DEVICE_SLACK + PCIE * bytes;
	return STEP_SLACK * fmax(1, m->result->threads) + 6 * fmin(fmax(fill, 0.02), 2) * bytes;
}

static enum gb_status judge_time(const char *step, double ns, double most, struct gb_error *err)
{
	struct shown s = show(ns, most);

	if (isfinite(ns) && ns > most)
		return gb_fail(err, GB_EVERIFY,
			       "%s takes %s, more than the %s that copying can: there is work "
			       "outside run()",
			       step, s.text[0], s.text[1]);
	return GB_OK;
}

static enum gb_status judge_step(const struct gb_measurement *m, const char *step, double ns,
				 double bytes, struct gb_error *err)
{
	return judge_time(step, ns, moving(m, bytes), err);
}

/* The same for half the samples, which noise lengthens: in the others, run() may do the work. */
static enum gb_status judge_watched(const struct gb_measurement *m, const char *name,
				    enum gb_step step, double bytes, struct gb_error *err)
{
	return judge_time(name, median(&m->evidence.watched[step]), WATCHED * moving(m, bytes),
			  err);
}

/* Threads may work on when run() returns, on a loaded machine until download() or before the next
 * step is watched. */
static enum gb_status judge_rest(const struct gb_measurement *m, struct gb_error *err)
{
	const struct gb_result *r = m->result;
	const struct gb_evidence *e = &m->evidence;
	/* A virtual machine may have got less of the processor than in samples, which lengthens
	 * run() and its CPU time. */
	const double time = fmax(usual_ns(m), median(&e->running));
	const double most = r->threads * (IDLE_SLACK + 1.5 * time);
	const double run = median(&e->run), both = run + median(&e->download);
	const bool may_convert = m->ops->flags & GB_CONVERTS;
	struct shown s = show(run, most);

	if (run > most || (!may_convert && both > most + moving(m, (double)m->output_size)))
		return gb_fail(err, GB_EVERIFY,
			       "until its threads sleep, run() takes %s of CPU time (in its time, "
			       "they can take %s): a thread is still at work",
			       s.text[0], s.text[1]);
	return GB_OK;
}

enum gb_status gb_judge_whole(const struct gb_measurement *m, struct gb_error *err)
{
	const struct gb_result *r = m->result;
	const struct gb_evidence *e = &m->evidence;
	const double output = (double)m->output_size;
	const struct gb_work work = work_of(m);
	const double input = work.read > 0 ? work.read : work.bytes + output;
	const double time = median(&r->time);
	/* Other programs lengthen times by the host's clock, and waits of spinning threads. */
	const double part = m->backend->fill || gb_threads_spin() ? 0 : 0.5;
	const double middle = m->backend->fill ? 0.5 : part;
	struct shown s = show(e->between_ns, time);

	*err = (struct gb_error){ 0 };
	if (r->emulated)
		return GB_OK;
	if (e->children)
		return gb_fail(err, GB_EVERIFY, "the variant has started another process");
	if (!e->whole.count)
		return GB_OK;
	if (judge_step(m, "reset()", gb_series_quantile(&e->reset, middle), input, err) ||
	    (!(m->ops->flags & GB_CONVERTS) &&
	     judge_step(m, "download()", gb_series_quantile(&e->download, middle), output, err)) ||
	    (!(m->ops->flags & GB_DERIVES) &&
	     judge_step(m, "upload()", e->upload_ns, input, err)) ||
	    judge_step(m, "reading the input", gb_series_quantile(&e->show, part), 0, err) ||
	    (!(m->ops->flags & GB_DERIVES) &&
	     judge_watched(m, "upload()", GB_STEP_UPLOAD, input, err)) ||
	    judge_watched(m, "overwriting the result", GB_STEP_POISON, output, err) ||
	    judge_watched(m, "reset()", GB_STEP_RESET, input, err) ||
	    (!(m->ops->flags & GB_CONVERTS) &&
	     judge_watched(m, "download()", GB_STEP_DOWNLOAD, output, err)))
		return err->code;
	if (median(&e->watched[GB_STEP_FLUSH]) > IDLE_SLACK + 0.25 * time) {
		s = show(median(&e->watched[GB_STEP_FLUSH]), time);
		return gb_fail(err, GB_EVERIFY,
			       "while caches are flushed, %s of CPU time are used (a run takes "
			       "%s): a thread is still at work",
			       s.text[0], s.text[1]);
	}
	if (!m->backend->fill && !gb_threads_spin() && e->between_ns > IDLE_SLACK + 0.25 * time)
		return gb_fail(
			err, GB_EVERIFY,
			"after upload(), reset() or run() has returned, %s of CPU time are used (a "
			"run takes %s): a thread is still at work",
			s.text[0], s.text[1]);
	s = show(e->unflushed_ns, usual_ns(m));
	if (!m->backend->fill && r->cold && e->unflushed_ns > UNFLUSHED * usual_ns(m) + STEP_SLACK)
		return gb_fail(err, GB_EVERIFY,
			       "run() takes at least %s without a flush before it, but %s "
			       "with it: it works before",
			       s.text[0], s.text[1]);
	/* A library may let its threads work in turn. */
	if (r->threads <= 0 || !gb_cpu_time_tells(m))
		return GB_OK;
	if (e->busy > (size_t)r->threads)
		return gb_fail(err, GB_EVERIFY, "%zu threads are at work in a run, not %d", e->busy,
			       r->threads);
	/* Threads that have ended are known by their CPU time alone. */
	s = show(median(&e->cpu), median(&e->whole));
	if (median(&e->cpu) > r->threads * (IDLE_SLACK + CROWDED * median(&e->whole)))
		return gb_fail(err, GB_EVERIFY,
			       "reset(), run() and download() take %s of CPU time in %s, more than "
			       "%d thread%s can",
			       s.text[0], s.text[1], r->threads, r->threads == 1 ? "" : "s");
	return judge_rest(m, err);
}

enum gb_status gb_judge(const struct gb_measurement *m, struct gb_error *err)
{
	if (m->how->no_verify || m->result->emulated)
		return GB_OK;
	if (gb_judge_samples(m, err) || gb_judge_clocks(m, err))
		return err->code;
	return gb_judge_whole(m, err);
}

/* The most bytes of the input that a run can find in caches. */
static double cached_bytes(const struct gb_result *r)
{
	const struct gb_backend_ops *backend = gb_backends[r->variant->backend];
	const char *from;

	if (r->cold)
		return 0;
	return backend->cache_bytes ? (double)backend->cache_bytes(&from) : (double)INFINITY;
}

void gb_doubt_rate(struct gb_result *r)
{
	const double most = fmax(r->flush_bytes_per_s, r->copy_bytes_per_s);
	const double read = r->work.read - cached_bytes(r);
	const double rate = read / gb_series_quantile(&r->time, 0.5) * 1e9;
	const bool was = r->doubtful;
	char text[2][GB_TEXT_MAX];

	r->doubtful = r->outcome == GB_RESULT_OK && !r->emulated &&
		      (r->constant || rate > (r->cold ? MARGIN : HOT_MARGIN) * most);
	if (was && !r->doubtful)
		r->reason[0] = '\0';
	if (r->doubtful && r->constant)
		(void)snprintf(r->reason, sizeof r->reason,
			       "this input has no variations: the result may be remembered");
	else if (r->doubtful)
		(void)snprintf(
			r->reason, sizeof r->reason,
			"reads its input at %sB/s, but the memory reaches %sB/s: it may not have "
			"read all of it, or not from memory",
			gb_text_scaled(text[0], rate), gb_text_scaled(text[1], most));
}
