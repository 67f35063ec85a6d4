# trials.mk -- error rates of `ab` and `history`, the share of mutated kernels that the executors
# find, and that of mutants of the harness that tests find; a part of the
# Makefile.  `make test` runs none of it.

.PHONY: test-ab gate-trials history-trials mutants-c mutants-c-build mutants-simt \
	mutants-simt-build simt-mutants ptx-mutants ptx-mutants-order

## test-ab: slow-downs of 10 % found, and red gates of an unchanged build, on this machine (an hour)
test-ab: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/trials/ab.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow $(BUILD)/ab

$(BUILD)/gate-trials $(BUILD)/history-trials: $(BUILD)/%-trials: $(SHARED)/tests/trials/%_trials.o \
		$(filter-out %/cli/commands/main.o,$(objects)) $(BUILD)/generated/link_flags
	$(call link,$(ldlibs))

## gate-trials: trials of `ab` on launches taken after it was tuned; writes docs/gates.md (minutes)
gate-trials: $(BUILD)/gate-trials
	$(Q)$< results/measured/launches-2026-11-26.txt >$(BUILD)/gates.md && \
		mv $(BUILD)/gates.md docs/gates.md

## history-trials: `history` and Apache Otava on synthetic series; writes docs/history.md (minutes)
# OTAVA_PYTHON is a Python with the package apache-otava (pip install apache-otava).
OTAVA_PYTHON ?= python3
history-trials: $(BUILD)/history-trials
	$(Q)$< results/measured/launches.txt --series >$(BUILD)/series.txt
	$(Q)$(OTAVA_PYTHON) tests/trials/otava_verdicts.py $(BUILD)/series.txt >$(BUILD)/otava.txt
	$(Q)$< results/measured/launches.txt $(BUILD)/otava.txt >$(BUILD)/history.md && \
		mv $(BUILD)/history.md docs/history.md

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
		unit gpubench-planted gpubench-slow nomemory.so nosys.so nvml.so \
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
