#include "cli/records/resume.h"

#include "cli/records/identity.h"
#include "common/text.h"

static enum gb_status differs(const char *path, const char *part, const char *there,
			      const char *here, const char *hint, struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "--resume: %.80s differs in its %s: %.150s, now %.150s%s",
		       path, part, there, here, hint);
}

static enum gb_status check_run(const struct gb_run *run, const char *path,
				const struct gb_run *now, const char *hint, struct gb_error *err)
{
	static const struct {
		const char *name, *path;
	} part[] = {
		{ "host", "host.hostname" },
		{ "kernel", "host.kernel" },
		{ "usable CPUs", "host.usable_cpus" },
		{ "version", "tool.version" },
		{ "commit", "tool.commit" },
		{ "uncommitted changes", "tool.dirty" },
		{ "build", "tool.mode" },
		{ "compiler", "tool.compiler" },
		{ "compiler flags", "tool.cflags" },
		{ "nvcc", "tool.nvcc" },
		{ "architectures", "tool.archs" },
		{ "--device", "settings.device" },
		{ "--cold", "settings.cold" },
	};

	if (!gb_same_machine(&run->on_cpu, &now->on_cpu))
		return differs(path, "CPU", run->on_cpu.text, now->on_cpu.text, hint, err);
	if ((gb_run_gpu(run) || gb_run_gpu(now)) && !gb_same_machine(&run->on_gpu, &now->on_gpu))
		return differs(path, "GPU", run->on_gpu.text, now->on_gpu.text, hint, err);
	for (size_t i = 0; i < GB_COUNT(part); i++) {
		const struct gb_field_value a = gb_run_value(run, part[i].path);
		const struct gb_field_value b = gb_run_value(now, part[i].path);
		char there[128], here[128];

		if (!gb_values_equal(a, b))
			return differs(path, part[i].name, gb_value_words(a, there, sizeof there),
				       gb_value_words(b, here, sizeof here), hint, err);
	}
	return GB_OK;
}

enum gb_status gb_resume_check(const struct gb_records *records, const char *path,
			       const struct gb_run *now, const char *hint, struct gb_error *err)
{
	for (size_t i = 0; i < records->run_count && !err->code; i++)
		if (records->run[i] != now)
			(void)check_run(records->run[i], path, now, hint, err);
	return err->code;
}
