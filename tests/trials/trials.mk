# trials.mk -- the share of mutated kernels that the executors
# find, that of mutants of the harness that tests find, and what evidence costs; a part of the
# Makefile.  `make test` runs none of it.

.PHONY: overhead mutants-c mutants-c-build mutants-simt \
	mutants-simt-build simt-mutants ptx-mutants ptx-mutants-order

## overhead: the share of the time of `run --preset=quick` on the CPU that is spent on evidence
wrapped := $(addprefix gb_,run poison_result renew_input take_evidence sample_clocks sample_alone \
	whole_run broken_run copy_again verify_run verify_sample)
$(BUILD)/gpubench-overhead: $(SHARED)/tests/trials/overhead.o $(objects) \
		$(BUILD)/generated/link_flags
	$(call link,$(ldlibs) $(wrapped:%=-Wl,--wrap=%))
overhead: $(BUILD)/gpubench-overhead
	$(Q)$< run --preset=quick --backend=cpu -q >/dev/null

## mutants-c: the share of mutants of the C code outside kernels that tests find (long)
# One build has all mutants; verdicts are kept in build/mutants.  MUTANTS_C=0 tries all of them.
# MUTANTS_FLAGS=--again in another MUTANTS_MODE then tries those left, by the tests that reach them:
# release after asan adds tests that sanitizers exclude; asan after release, reads out of bounds.
MUTANTS_C ?= 300
MUTANTS_MODE ?= asan
mutants-c:
	$(PYTHON) tests/trials/mutants_c.py --self-test
	+$(Q)$(MAKE) --no-print-directory CUDA=0 MODE=$(MUTANTS_MODE) mutants-c-build
	$(PYTHON) tests/trials/mutants_c.py build/mutants build/$(MUTANTS_MODE) \
		--sample $(MUTANTS_C) $(MUTANTS_FLAGS)
in_tree = $(patsubst -I$(BUILD)%,-I$(CURDIR)/$(BUILD)%,$(cppflags)) -fopenmp
mutants-c-build: $(BUILD)/generated/build_info.h
	$(PYTHON) tests/trials/mutants_c.py --rewrite harness build/mutants $(lastword $(CC)) \
		-std=c11 $(in_tree)
	+$(Q)$(MAKE) --no-print-directory -C build/mutants/tree all $(addprefix $(BUILD)/, \
		unit gpubench-planted gpubench-cheats nomemory.so nosys.so nvml.so \
		$(if $(filter 1,$(have_vulkan)),recorder/libvulkan.so.1)) 2>build/mutants/warnings

## mutants-simt: the same for the engine of the emulator (long)
mutants-simt:
	+$(Q)$(MAKE) --no-print-directory SIMT=1 mutants-simt-build
	$(PYTHON) tests/trials/mutants_c.py build/mutants-simt build/release-simt \
		--sample $(MUTANTS_C) $(MUTANTS_FLAGS)
mutants-simt-build: $(BUILD)/generated/build_info.h
	$(PYTHON) tests/trials/mutants_c.py --rewrite emulator build/mutants-simt \
		$(lastword $(CXX)) -std=c++20 $(in_tree)
	+$(Q)$(MAKE) --no-print-directory -C build/mutants-simt/tree SIMT=1 simt-all \
		2>build/mutants-simt/warnings

## simt-mutants: the share of mutated cuda variants that the emulator finds (long)
MUTANTS ?= 24
simt-mutants:
	$(Q)$(MAKE) --no-print-directory SIMT=1 simt-all
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --count $(MUTANTS)

## ptx-mutants: mutated cuda variants under both executors, and which one finds them (long)
MUTANTS_EVERY ?= 40
ptx-mutants:
	$(Q)$(MAKE) --no-print-directory SIMT=1 simt-all
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --ptx build/ptx-drive \
		--every $(MUTANTS_EVERY) --keep build/mutants.jsonl
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --ptx build/ptx-drive \
		--every $(MUTANTS_EVERY) --keep build/mutants.jsonl --table

## ptx-mutants-order: each ordered memory word made relaxed, one at a time, with weak memory
ptx-mutants-order:
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/trials/mutants.py --ptx build/ptx-drive --count 0 --operator '*relaxed' \
		--least 50
