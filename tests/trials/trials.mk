# trials.mk -- how often `ab` and `history` are right, and how many broken kernels the executors find.  A part
# of the Makefile; `make test` runs none of it.

.PHONY: test-ab gate-trials history-trials simt-mutants ptx-mutants ptx-mutants-order

## test-ab: how often `ab` finds a slow-down of 10 %, and cries wolf, on this machine (a quarter of an hour)
test-ab: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/trials/ab.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow $(BUILD)/ab

$(BUILD)/gate-trials $(BUILD)/history-trials: $(BUILD)/%-trials: $(SHARED)/tests/trials/%_trials.o \
		$(filter-out %/cli/commands/main.o,$(objects)) $(BUILD)/generated/link_flags
	$(call link,$(ldlibs))

## gate-trials: `ab` tried on the launches in results/measured/launches.txt; prints results/gates.md (a minute)
gate-trials: $(BUILD)/gate-trials
	$(Q)$< results/measured/launches.txt >$(BUILD)/gates.md && mv $(BUILD)/gates.md results/gates.md

## history-trials: `history` tried on made series, beside Apache Otava; prints results/history.md (minutes)
# Otava is a Python package (pip install apache-otava), which OTAVA_PYTHON finds.
OTAVA_PYTHON ?= python3
history-trials: $(BUILD)/history-trials
	$(Q)$< results/measured/launches.txt --series >$(BUILD)/series.txt
	$(Q)$(OTAVA_PYTHON) tests/trials/otava_verdicts.py $(BUILD)/series.txt >$(BUILD)/otava.txt
	$(Q)$< results/measured/launches.txt $(BUILD)/otava.txt >$(BUILD)/history.md && \
		mv $(BUILD)/history.md results/history.md

## simt-mutants: broken copies of the cuda variants in the emulator: the share that is found (long)
MUTANTS ?= 24
simt-mutants:
	$(Q)$(MAKE) --no-print-directory SIMT=1 simt-all
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --count $(MUTANTS)

## ptx-mutants: broken copies of the cuda variants under both executors: who finds which? (long)
MUTANTS_EVERY ?= 40
ptx-mutants:
	$(Q)$(MAKE) --no-print-directory SIMT=1 simt-all
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --ptx build/ptx-drive --every $(MUTANTS_EVERY) \
		--keep build/mutants.jsonl
	$(PYTHON) tests/trials/mutants.py --simt build/simt-test --ptx build/ptx-drive --every $(MUTANTS_EVERY) \
		--keep build/mutants.jsonl --table

## ptx-mutants-order: words that order memory, each made relaxed in one place, with weak memory
ptx-mutants-order:
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/trials/mutants.py --ptx build/ptx-drive --count 0 --operator '*relaxed' --least 50
