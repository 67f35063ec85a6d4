#include "cli/reports/history/deviates.h"

#include <math.h>

/* Cumulant generating function of a Mann-Whitney statistic about its mean, without ties: that of a
 * sum of independent uniform ones, divided by another.  With its first two derivatives. */
struct cumulants {
	double k, k1, k2;
};

static void add_uniform(struct cumulants *c, double width, double t, double sign)
{
	const double h = width * t / 2;
	const double s = sinh(fmin(h, 300));

	/* log(sinh(h) / h), without overflow. */
	c->k += sign * (h > 20 ? h - log(2 * h) : h < 1e-4 ? h * h / 6 : log(s / h));
	c->k1 += sign * (h < 1e-4 ? width * h / 6 : width / 2 / tanh(h) - 1 / t);
	c->k2 += sign * (h < 1e-2 ? width * width / 12 * (1 - h * h / 5)
				  : 1 / (t * t) - width * width / (4 * s * s));
}

static struct cumulants cumulants_at(size_t n, size_t m, double t)
{
	struct cumulants c = { 0 };

	for (size_t j = 1; j <= n; j++) {
		add_uniform(&c, (double)(m + j), t, 1);
		add_uniform(&c, (double)j, t, -1);
	}
	return c;
}

/* t > 0 with K'(t) = x, by Newton's method within a bracket. */
static double saddlepoint(size_t n, size_t m, double x)
{
	double low = 0, high = INFINITY;
	double t = x / cumulants_at(n, m, 1e-9).k2;

	for (int i = 0; i < 60; i++) {
		const struct cumulants c = cumulants_at(n, m, t);
		double next = t + (x - c.k1) / c.k2;

		if (c.k1 < x)
			low = t;
		else
			high = t;
		if (!(next > low && next < high))
			next = isinf(high) ? 2 * t : (low + high) / 2;
		if (fabs(next - t) < 1e-9 * t)
			return next;
		t = next;
	}
	return t;
}

double gb_mann_whitney_deviate(size_t n, size_t m, double u)
{
	const double pairs = (double)n * (double)m;
	const double sd = sqrt(pairs * (double)(n + m + 1) / 12);
	const double sign = u < pairs / 2 ? -1 : 1;
	/* The continuity correction, without which the outermost value had no saddlepoint. */
	const double x = fabs(u - pairs / 2) - 0.5;
	double t, r, v;
	struct cumulants c;

	enum { LARGE = 30 };

	if (x < 0.05 * sd || (n > LARGE && m > LARGE))
		return sign * fmax(x, 0) / sd;
	t = saddlepoint(n < m ? n : m, n < m ? m : n, x);
	c = cumulants_at(n < m ? n : m, n < m ? m : n, t);
	r = sqrt(2 * (t * x - c.k));
	v = 2 * sinh(t / 2) * sqrt(c.k2);
	return sign * (r + log(v / r) / r);
}

double gb_largest_deviate_p(double z, size_t count, size_t segment)
{
	const double b = fmax(fabs(z), 1);
	const double density = exp(-b * b / 2) / sqrt(2 * acos(-1));
	const double rest = (double)(count - segment), edge = (double)segment;

	return fmin(1, density * ((b - 1 / b) * 2 * log(rest / edge) + 4 / b));
}
