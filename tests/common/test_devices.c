/* test_devices.c -- the GPUs of several back ends as one list. */
#include "common/devices.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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

Test(devices, text_of_a_uuid)
{
	const unsigned char id[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
				     0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe };
	char text[64];

	gb_gpu_uuid_text(text, id);
	cr_expect(eq(str, text, "GPU-01234567-89ab-cdef-1032-547698badcfe"));
}
