/* check_traffic.cc -- memory requests of warps, by source line: traffic.h says what is counted.
 *
 * While a block runs, accesses are gathered into requests: of one warp, by one instruction, for
 * the same time around.  When it ends they are counted and added to the instruction's sums.
 *
 * Shared memory: lanes are served in phases of 128 bytes (all lanes of a 4-byte access, half the
 * lanes of an 8-byte one, ...); a phase takes as many wavefronts as the busiest of the 32 banks
 * has different words to give.
 */
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tests/simt/check.h"
#include "tests/simt/traffic.h"

enum { SECTOR = 32, BANKS = 32 };

struct request_made {
	bool shared, write;
	uint32_t pc;
	uint64_t bytes;
	std::vector<uint64_t> sectors;                    /* global */
	std::vector<std::pair<unsigned, uint64_t>> words; /* shared: phase and word */
};

/* Of a block that runs. */
struct block_traffic {
	std::unordered_map<uint64_t, uint32_t> times; /* by instruction and thread */
	std::unordered_map<uint64_t, struct request_made> requests;
};

struct sums {
	uint64_t requests, sectors, bytes, wavefronts;
};

/* Kernel, instruction, space, direction. */
typedef std::tuple<std::string, uint32_t, bool, bool> place_t;

bool traffic_on;

static std::unordered_map<const struct simt_block *, struct block_traffic> &blocks(void)
{
	static auto *const map =
		new std::unordered_map<const struct simt_block *, struct block_traffic>;

	return *map;
}

static std::map<place_t, struct sums> &totals(void)
{
	static auto *const map = new std::map<place_t, struct sums>;

	return *map;
}

/* ---- gathering --------------------------------------------------------------------------- */

void traffic_touch(const struct touch *t)
{
	const struct simt_thread *const thread = simt_current;
	struct block_traffic &block = blocks()[thread->block];
	const uint64_t instruction = (uint64_t)t->pc << 11 | (uint64_t)t->shared << 10;
	const uint32_t time = block.times[instruction | thread->linear]++;
	const uint64_t key =
		((uint64_t)t->pc << 1 | t->shared) << 31 ^ (uint64_t)time << 5 ^ thread->warp;
	struct request_made &r = block.requests[key];

	r.shared = t->shared;
	r.pc = t->pc;
	r.write |= t->direction != DIRECTION_READ;
	r.bytes += t->size;
	if (t->shared) {
		const unsigned phase = t->size > 4 ? thread->lane * t->size / 128 : 0;

		for (uint64_t w = t->address / 4; w <= (t->address + t->size - 1) / 4; w++)
			r.words.push_back({ phase, w });
		return;
	}
	for (uint64_t s = t->address / SECTOR; s <= (t->address + t->size - 1) / SECTOR; s++)
		if (std::find(r.sectors.begin(), r.sectors.end(), s) == r.sectors.end())
			r.sectors.push_back(s);
}

static uint64_t wavefronts(std::vector<std::pair<unsigned, uint64_t>> words)
{
	uint64_t sum = 0;

	std::sort(words.begin(), words.end());
	words.erase(std::unique(words.begin(), words.end()), words.end());
	for (size_t first = 0; first < words.size();) {
		unsigned bank[BANKS] = {}, most = 0;
		size_t at = first;

		for (; at < words.size() && words[at].first == words[first].first; at++)
			most = std::max(most, ++bank[words[at].second % BANKS]);
		sum += most;
		first = at;
	}
	return sum;
}

void traffic_block_end(struct simt_block *b)
{
	if (!traffic_on)
		return;
	const auto found = blocks().find(b);

	if (found == blocks().end())
		return;
	for (const auto &entry : found->second.requests) {
		const struct request_made &r = entry.second;
		struct sums &s =
			totals()[place_t{ simt_running.call->name, r.pc, r.shared, r.write }];

		s.requests++;
		s.bytes += r.bytes;
		s.sectors += r.sectors.size();
		if (r.shared)
			s.wavefronts += wavefronts(r.words);
	}
	blocks().erase(found);
}

/* ---- reading (traffic.h) ----------------------------------------------------------------- */

/* Strings that rows may point to; they live for ever. */
static const char *keep(const std::string &text)
{
	static auto *const kept = new std::map<std::string, bool>;

	return kept->insert({ text, true }).first->first.c_str();
}

static void add(struct simt_traffic *row, const struct sums &s)
{
	row->requests += s.requests;
	row->sectors += s.sectors;
	row->bytes += s.bytes;
	row->wavefronts += s.wavefronts;
}

static std::vector<struct simt_traffic> rows_by_line(void)
{
	std::map<std::tuple<std::string, std::string, int, bool, bool>, struct simt_traffic>
		by_line;
	std::vector<struct simt_traffic> rows;
	std::vector<uint32_t> pcs;

	for (const auto &entry : totals())
		pcs.push_back(std::get<1>(entry.first));
	symbol_prepare(pcs.data(), pcs.size());
	for (const auto &entry : totals()) {
		const std::string &kernel = std::get<0>(entry.first);
		const std::string place = symbol_line(std::get<1>(entry.first));
		const bool shared = std::get<2>(entry.first), write = std::get<3>(entry.first);
		const size_t colon = place.rfind(':');
		const std::string file = place.substr(0, colon);
		const int line = colon == std::string::npos ? 0 : atoi(place.c_str() + colon + 1);
		struct simt_traffic &row = by_line[{ kernel, file, line, shared, write }];

		row.kernel = keep(kernel);
		row.file = keep(file);
		row.line = line;
		row.shared = shared;
		row.write = write;
		add(&row, entry.second);
	}
	for (const auto &entry : by_line)
		rows.push_back(entry.second);
	return rows;
}

bool simt_traffic_available(void)
{
	return true;
}

void simt_traffic_begin(void)
{
	totals().clear();
	traffic_on = true;
}

void simt_traffic_end(void)
{
	traffic_on = false;
}

size_t simt_traffic_read(struct simt_traffic *rows, size_t room)
{
	const std::vector<struct simt_traffic> all = rows_by_line();

	std::copy_n(all.begin(), std::min(room, all.size()), rows);
	return all.size();
}

struct simt_traffic simt_traffic_sum(const char *kernel, bool shared, bool write)
{
	struct simt_traffic sum = {};

	sum.kernel = kernel;
	sum.shared = shared;
	sum.write = write;
	for (const auto &entry : totals())
		if ((!kernel || std::get<0>(entry.first).find(kernel) != std::string::npos) &&
		    std::get<2>(entry.first) == shared && std::get<3>(entry.first) == write)
			add(&sum, entry.second);
	return sum;
}

/* GPUBENCH_SIMT_TRAFFIC=1: after each kernel, its lines; then start afresh. */
void traffic_print(const char *kernel)
{
	for (const struct simt_traffic &row : rows_by_line()) {
		const double requests = (double)row.requests;

		fprintf(stderr, "simt-traffic: %s %s:%d %s %s: %llu requests, ", kernel, row.file,
			row.line, row.shared ? "shared" : "global", row.write ? "write" : "read",
			(unsigned long long)row.requests);
		if (row.shared)
			fprintf(stderr, "%.2f wavefronts each\n",
				(double)row.wavefronts / requests);
		else
			fprintf(stderr, "%.2f sectors each, %.0f%% of their bytes used\n",
				(double)row.sectors / requests,
				100.0 * (double)row.bytes / (double)(row.sectors * SECTOR));
	}
	totals().clear();
}
