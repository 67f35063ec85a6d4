# trials.mk -- error rates of `ab` and `history`, and the share of mutated kernels that the
# executors find; a part of the Makefile.  `make test` runs none of it.

.PHONY: test-ab gate-trials history-trials simt-mutants ptx-mutants ptx-mutants-order

## test-ab: slow-downs of 10 % found, and red gates of an unchanged build, on this machine (an hour)
test-ab: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/trials/ab.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow $(BUILD)/ab

$(BUILD)/gate-trials $(BUILD)/history-trials: $(BUILD)/%-trials: $(SHARED)/tests/trials/%_trials.o \
		$(filter-out %/cli/commands/main.o,$(objects)) $(BUILD)/generated/link_flags
	$(call link,$(ldlibs))

## gate-trials: trials of `ab` on results/measured/launches.txt; writes docs/gates.md (minutes)
gate-trials: $(BUILD)/gate-trials
	$(Q)$< results/measured/launches.txt >$(BUILD)/gates.md && \
		mv $(BUILD)/gates.md docs/gates.md

## history-trials: `history` and Apache Otava on synthetic series; writes docs/history.md (minutes)
# OTAVA_PYTHON is a Python with the package apache-otava (pip install apache-otava).
OTAVA_PYTHON ?= python3
history-trials: $(BUILD)/history-trials
	$(Q)$< results/measured/launches.txt --series >$(BUILD)/series.txt
	$(Q)$(OTAVA_PYTHON) tests/trials/otava_verdicts.py $(BUILD)/series.txt >$(BUILD)/otava.txt
	$(Q)$< results/measured/launches.txt $(BUILD)/otava.txt >$(BUILD)/history.md && \
		mv $(BUILD)/history.md docs/history.md

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
