/* test_options.c -- the devices and back ends that the options of a command name. */
#include "cli/commands/options.h"

#include <criterion/criterion.h>

#include "common/text.h"

Test(options, devices_and_back_ends)
{
	static const struct {
		const char *word[2];
		enum gb_status status;
		int64_t device;
		bool all;
		unsigned backends;
	} row[] = {
		{ { "-q", "--hot" }, GB_OK, 0, false, 0 },
		{ { "-q", "--device=3" }, GB_OK, 3, false, 0 },
		{ { "-q", "--device=1024" }, GB_EUSAGE, 0, false, 0 },
		{ { "-q", "--device=all" }, GB_OK, 0, true, 1U << GB_CUDA },
		{ { "--backend=vulkan", "--device=all" }, GB_OK, 0, true, 1U << GB_VULKAN },
		{ { "--backend=vulkan,cpu", "--device=all" }, GB_EUSAGE, 0, false, 0 },
		{ { "--backend=cuda,cpu", "--device=2" }, GB_OK, 2, false, 3 },
		/* as long as the room for a name */
		{ { "-q", "--backend=vulkan0123456789" }, GB_EUSAGE, 0, false, 0 },
	};
	static const struct gb_rows *const shared[] = { &gb_rows_how, &gb_rows_progress,
							&gb_rows_backend, &gb_rows_repeats, NULL };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char *argv[] = { "run", (char *)row[i].word[0], (char *)row[i].word[1], NULL };
		struct gb_request request;
		struct gb_arguments arguments = { .shared = shared,
						  .target = &request,
						  .target_size = sizeof request };
		struct gb_error err = { 0 };

		cr_expect_eq(gb_options_parse(&arguments, 3, argv, &err), row[i].status,
			     "row %zu: %s", i, err.message);
		if (!err.code) {
			cr_expect_eq(request.how.device, row[i].device, "row %zu", i);
			cr_expect_eq(request.repeats.all_devices, row[i].all, "row %zu", i);
			cr_expect_eq(request.choice.backends, row[i].backends, "row %zu", i);
		}
		gb_arguments_release(&arguments);
	}
}
