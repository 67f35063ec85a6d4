/* test_devices.c -- the GPUs of several back ends as one list, and the number of each in its back
 * end.
 */
#include "common/devices.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/text.h"

Test(devices, a_device_found_twice_is_listed_once)
{
	static struct gb_devices devices;
	const struct gb_gpu_info found[] = {
		{ .id = 0, .name = "A", .uuid = "GPU-a" },
		{ .id = 1, .name = "B", .uuid = "GPU-b" },
		{ .id = 0, .name = "b", .uuid = "GPU-b", .vulkan.api = "1.3.0" },
		{ .id = 1, .name = "software", .emulated = true, .vulkan.api = "1.4.0" },
	};

	for (size_t i = 0; i < GB_COUNT(found); i++)
		gb_devices_add(&devices, i < 2 ? GB_CUDA : GB_VULKAN, &found[i]);
	cr_assert_eq(devices.count, 3);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(devices.gpu[i].id, i);
	cr_expect_str_eq(devices.gpu[1].name, "B");
	cr_expect_str_eq(devices.gpu[1].vulkan.api, "1.3.0");
	cr_expect_str_eq(devices.gpu[0].vulkan.api, "");
	cr_expect_eq(devices.gpu[1].number[GB_CUDA], 2);
	cr_expect_eq(devices.gpu[1].number[GB_VULKAN], 1);
	cr_expect_eq(devices.gpu[0].number[GB_VULKAN], 0);
	cr_expect_eq(devices.gpu[2].number[GB_VULKAN], 2);
	while (devices.count < GB_MAX_GPUS)
		gb_devices_add(&devices, GB_VULKAN, &found[3]);
	gb_devices_add(&devices, GB_VULKAN, &found[2]);
	cr_expect_not(devices.has_more, "one that is known needs no room");
	gb_devices_add(&devices, GB_VULKAN, &found[3]);
	cr_expect(devices.has_more);
	cr_expect_eq(devices.count, GB_MAX_GPUS);
}

/* ---- back ends that find what a test says -------------------------------------------------- */

static struct fake {
	size_t count;         /* of its devices */
	const char *first;    /* its first device is this letter of the alphabet, ... */
	const char *absent;   /* the reason why it has none */
	int asked, opened;    /* how often; 1 + the number of the device */
	bool allows_software; /* was asked to */
	bool is_emulated;
} fakes[GB_BACKENDS];

static enum gb_status devices_of(struct fake *fake, struct gb_gpu_info *gpu, size_t room,
				 size_t *count, struct gb_error *err)
{
	fake->asked++;
	*count = fake->count;
	for (size_t i = 0; i < fake->count && i < room; i++) {
		const char letter = (char)(*fake->first + (int)i);

		gpu[i] = (struct gb_gpu_info){ .id = (int)i, .name = { letter } };
		(void)snprintf(gpu[i].uuid, sizeof gpu[i].uuid, "GPU-%c", letter);
		(void)snprintf(gpu[i].pci, sizeof gpu[i].pci, "pci %c", letter);
	}
	return fake->absent ? gb_fail(err, GB_EUNAVAILABLE, "%s", fake->absent) : GB_OK;
}

#define FAKE(symbol, number)                                                                      \
	static enum gb_status devices_##symbol(struct gb_gpu_info *gpu, size_t room,              \
					       size_t *count, struct gb_cuda_info *cuda,          \
					       struct gb_error *err)                              \
	{                                                                                         \
		(void)cuda;                                                                       \
		return devices_of(&fakes[number], gpu, room, count, err);                         \
	}                                                                                         \
	static enum gb_status open_##symbol(int device, struct gb_error *err)                     \
	{                                                                                         \
		fakes[number].opened = device + 1;                                                \
		return err->code;                                                                 \
	}                                                                                         \
	static void allow_##symbol(void)                                                          \
	{                                                                                         \
		fakes[number].allows_software = true;                                             \
	}                                                                                         \
	static bool is_emulated_##symbol(void)                                                    \
	{                                                                                         \
		return fakes[number].is_emulated;                                                 \
	}                                                                                         \
	static const struct gb_backend_ops fake_##symbol = { .name = #symbol,                     \
							     .is_emulated = is_emulated_##symbol, \
							     .devices = devices_##symbol,         \
							     .open = open_##symbol,               \
							     .allow_software = allow_##symbol }
FAKE(cuda, GB_CUDA);
FAKE(vulkan, GB_VULKAN);

/* Replace the back ends of GPUs in this test's process: A and B in CUDA, B to D in Vulkan. */
static void replace_backends(void)
{
	static const struct gb_backend_ops *const ops[] = { &fake_cuda, &fake_vulkan };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *table = (char *)(uintptr_t)&gb_backends[GB_CUDA];

	cr_assert(zero(
		int, mprotect(table - (uintptr_t)table % page, 2 * page, PROT_READ | PROT_WRITE)));
	memcpy(table, ops, sizeof ops);
	fakes[GB_CUDA] = (struct fake){ .count = 2, .first = "A" };
	fakes[GB_VULKAN] = (struct fake){ .count = 3, .first = "B" };
}

Test(devices, are_found_by_the_back_ends_asked, .init = replace_backends)
{
	static const struct {
		unsigned backends;
		size_t cuda, vulkan; /* devices found */
		size_t count;
		bool has_more;
	} row[] = {
		{ 0, 2, 3, 0, false },
		{ 1 << GB_CPU, 2, 3, 0, false },
		{ 1 << GB_CUDA, 2, 3, 2, false },
		{ 1 << GB_VULKAN, 2, 3, 3, false },
		{ 1 << GB_CUDA | 1 << GB_VULKAN, 2, 3, 4, false },
		{ 1 << GB_CUDA, GB_MAX_GPUS, 3, GB_MAX_GPUS, false },
		{ 1 << GB_CUDA, GB_MAX_GPUS + 1, 3, GB_MAX_GPUS, true },
		{ 1 << GB_CUDA | 1 << GB_VULKAN, GB_MAX_GPUS + 1, 0, GB_MAX_GPUS, true },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_devices devices = { .count = 5 };

		fakes[GB_CUDA].count = row[i].cuda;
		fakes[GB_VULKAN].count = row[i].vulkan;
		gb_devices_find(&devices, row[i].backends);
		cr_expect(eq(sz, devices.count, row[i].count), "row %zu", i);
		cr_expect(eq(int, devices.has_more, row[i].has_more), "row %zu", i);
		for (size_t k = 0; k < devices.count; k++) {
			const char *first = row[i].backends >> GB_CUDA & 1 ? "A" : "B";

			cr_expect(eq(int, devices.gpu[k].name[0], *first + (int)k));
		}
	}
}

Test(devices, are_opened_by_their_number_in_the_list, .init = replace_backends)
{
	static const struct {
		enum gb_backend backend;
		int id, opened;
		const char *message, *pci;
	} row[] = {
		{ GB_CUDA, 0, 1, "", "pci A" },
		{ GB_CUDA, 1, 2, "", "pci B" },
		{ GB_CUDA, 2, 3, "", "" }, /* open() knows how many there are */
		{ GB_VULKAN, 0, 0, "GPU 0 (A) is not visible to vulkan", "pci A" },
		{ GB_VULKAN, 1, 1, "", "pci B" },
		{ GB_VULKAN, 3, 3, "", "pci D" },
		{ GB_VULKAN, 4, 0, "there is no GPU 4: this machine has 4", "" },
		{ GB_VULKAN, -1, 0, "there is no GPU -1: this machine has 4", "" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_error err = { 0 };

		fakes[row[i].backend].opened = 0;
		cr_expect(eq(int, (int)gb_device_open(row[i].backend, row[i].id, &err),
			     row[i].message[0] ? GB_EUNAVAILABLE : GB_OK));
		cr_expect(eq(str, err.message, (char *)row[i].message), "row %zu", i);
		cr_expect(eq(int, fakes[row[i].backend].opened, row[i].opened), "row %zu", i);
		cr_expect(eq(str, (char *)gb_device_pci(row[i].backend, row[i].id),
			     (char *)row[i].pci),
			  "row %zu", i);
	}
}

Test(devices, are_asked_for_once, .init = replace_backends)
{
	struct gb_error err = { 0 };

	for (int i = 0; i < 2; i++)
		cr_expect(eq(int, (int)gb_device_open(GB_VULKAN, 1, &err), GB_OK));
	cr_expect(eq(int, fakes[GB_CUDA].asked, 1));
	cr_expect(eq(int, fakes[GB_VULKAN].asked, 1));
	fakes[GB_VULKAN].absent = "no driver";
	gb_devices_allow_software();
	cr_expect(fakes[GB_CUDA].allows_software && fakes[GB_VULKAN].allows_software);
	fakes[GB_VULKAN].opened = 0;
	cr_expect(eq(int, (int)gb_device_open(GB_VULKAN, 1, &err), GB_EUNAVAILABLE));
	cr_expect(eq(str, err.message, "no driver"));
	cr_expect(eq(int, fakes[GB_VULKAN].opened, 0));
	cr_expect(eq(int, fakes[GB_VULKAN].asked, 2));
}

Test(devices, are_emulated_if_their_back_end_says_so, .init = replace_backends)
{
	for (int b = 0; b < GB_BACKENDS; b++)
		cr_expect(zero(int, gb_is_emulated((enum gb_backend)b)));
	fakes[GB_CUDA].is_emulated = true;
	for (int b = 0; b < GB_BACKENDS; b++)
		cr_expect(eq(int, gb_is_emulated((enum gb_backend)b), b == GB_CUDA));
}

Test(devices, text_of_a_uuid)
{
	const unsigned char id[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
				     0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe };
	char text[64];

	gb_gpu_uuid_text(text, id);
	cr_expect(eq(str, text, "GPU-01234567-89ab-cdef-1032-547698badcfe"));
}
