/* sha256.c -- see sha256.h. */
#include "cli/plugins/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t root[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static void add_block(uint32_t h[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, h, sizeof v);
	for (int i = 0; i < 64; i++) {
		const uint32_t a = v[0], e = v[4];
		const uint32_t t = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				   ((e & v[5]) ^ (~e & v[6])) + root[i] + w[i];
		const uint32_t u = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
				   ((a & (v[1] | v[2])) | (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t;
		v[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void gb_sha256(const void *data, size_t bytes, char hex[65])
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const size_t rest = bytes % 64;
	unsigned char last[128] = { 0 };
	const size_t end = rest < 56 ? 64 : 128;

	for (size_t at = 0; at + 64 <= bytes; at += 64)
		add_block(h, (const unsigned char *)data + at);
	if (rest)
		memcpy(last, (const unsigned char *)data + bytes - rest, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[end - 1 - i] = (unsigned char)((uint64_t)bytes * 8 >> 8 * i);
	for (size_t at = 0; at < end; at += 64)
		add_block(h, last + at);
	for (size_t i = 0; i < 8; i++)
		(void)snprintf(hex + 8 * i, 9, "%08x", h[i]);
}

enum gb_status gb_sha256_file(const char *path, char hex[65], struct gb_error *err)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *data = MAP_FAILED;
	struct stat info;

	if (file >= 0 && !fstat(file, &info) && info.st_size > 0)
		data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (data == MAP_FAILED) {
		gb_fail(err, GB_EUSAGE, "%.200s: %s", path,
			file >= 0 && info.st_size == 0 ? "is empty" : strerror(errno));
	} else {
		gb_sha256(data, (size_t)info.st_size, hex);
		(void)munmap(data, (size_t)info.st_size);
	}
	if (file >= 0)
		(void)close(file);
	return err->code;
}
