/* codes.c -- boxes of the primitives, and the Morton codes of their centres. */
#include "cpu/lbvh/shared/frame.h"

#include <float.h>

#include "cpu/lbvh/shared/lanes.h"

/* ---- boxes -------------------------------------------------------------------------------- */

/* Compute the boxes of primitives begin .. end - 1 and the box around them all. */
static void bound_part(struct lbvh_cpu *cpu, size_t begin, size_t end, LANES *all_lo, LANES *all_hi)
{
	const uint32_t *corner = cpu->input->triangle + 3 * begin;
	const float *vertex = cpu->input->vertex;
	LANES lowest = lanes_all(FLT_MAX), highest = lanes_all(-FLT_MAX);

	for (size_t p = begin; p < end; p++, corner += 3) {
		const LANES a = lanes_load(vertex + 3 * (size_t)corner[0]);
		const LANES b = lanes_load(vertex + 3 * (size_t)corner[1]);
		const LANES c = lanes_load(vertex + 3 * (size_t)corner[2]);
		const LANES lo = lanes_min(lanes_min(a, b), c);
		const LANES hi = lanes_max(lanes_max(a, b), c);

		lanes_store(cpu->box[p].lo, lo);
		lanes_store(cpu->box[p].hi, hi);
		lowest = lanes_min(lowest, lo);
		highest = lanes_max(highest, hi);
	}
	*all_lo = lowest;
	*all_hi = highest;
}

void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	LANES lo, hi;

	lbvh_cpu_phase(timer, "bounds");
#pragma omp single
	{
		lanes_store(cpu->lo, lanes_all(FLT_MAX));
		lanes_store(cpu->hi, lanes_all(-FLT_MAX));
	}
	bound_part(cpu, cpu->count * t / threads, cpu->count * (t + 1) / threads, &lo, &hi);
#pragma omp critical(lbvh_cpu_bounds)
	{
		lanes_store(cpu->lo, lanes_min(lanes_load(cpu->lo), lo));
		lanes_store(cpu->hi, lanes_max(lanes_load(cpu->hi), hi));
	}
#pragma omp barrier
}

/* ---- codes -------------------------------------------------------------------------------- */

/* lbvh_code_30() of all boxes.  The axes of a box lie side by side in a vector, and the same shifts and
 * masks spread all cells to every third bit before they are joined. */
static void codes_30(struct lbvh_cpu *cpu)
{
	const struct lbvh_grid grid = lbvh_grid_over(cpu->lo, cpu->hi, LBVH_BITS_30);
	const LANES origin = { grid.origin[0], grid.origin[1], grid.origin[2], 0 };
	const LANES scale = { grid.scale[0], grid.scale[1], grid.scale[2], 0 };
	const LANES most = lanes_all((1 << LBVH_BITS_30) - 1), least = lanes_all(0);

#pragma omp for schedule(static)
	for (size_t p = 0; p < cpu->count; p++) {
		const struct lbvh_box *box = &cpu->box[p];
		const LANES sum = lanes_load(box->lo) + lanes_load(box->hi);
		const LANES place = lanes_max((sum - origin) * scale, least);
		lanes_int v = __builtin_convertvector(lanes_min(place, most), lanes_int);

		v = (v | v << 16) & 0x030000ff;
		v = (v | v << 8) & 0x0300f00f;
		v = (v | v << 4) & 0x030c30c3;
		v = (v | v << 2) & 0x09249249;
		cpu->pair[p] = (uint64_t)(uint32_t)(v[0] << 2 | v[1] << 1 | v[2]) << 32 | p;
	}
}

static void codes_63(struct lbvh_cpu *cpu)
{
	const struct lbvh_grid grid = lbvh_grid_over(cpu->lo, cpu->hi, LBVH_BITS_63);

#pragma omp for schedule(static)
	for (size_t p = 0; p < cpu->count; p++) {
		cpu->pair[p] = lbvh_code_63(&grid, &cpu->box[p]);
		cpu->index[p] = (uint32_t)p;
	}
}

void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "codes");
	if (cpu->needs & LBVH_CPU_CODES_63)
		codes_63(cpu);
	else
		codes_30(cpu);
}
