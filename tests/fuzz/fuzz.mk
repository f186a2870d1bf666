# SPDX-License-Identifier: MIT
# Fuzzing (tests/fuzz/README.md): the plugin and the tool for coverage, the guest's tables, an
# initial file system with its programs.

FUZZ := tests/fuzz
FUZZ_HOST := $(wildcard $(FUZZ)/host/*.py)

FUZZ_GEN := $(GEN)/fuzz/calls.h $(GEN)/fuzz/calls.c
$(FUZZ_GEN) &: $(FUZZ_HOST) $(SYSCALLS_DEF) $(SYSCALLS_TOOLS) $(IPC_IDL) \
    $(wildcard ipc/tools/*.py include/orrery/*.h)
	$(call say,GEN,fuzz/calls.h calls.c)
	$(Q)$(PYTHON) $(FUZZ)/host/generate.py --out $(GEN)/fuzz
	@touch $(FUZZ_GEN)
user-ready: $(FUZZ_GEN)

COVERAGE_PLUGIN := $(BUILD)/coverage.so
FUZZ_HOST_CFLAGS := -std=gnu17 -O2 -g $(WARNINGS) -Wconversion -D_GNU_SOURCE -Iinclude
$(COVERAGE_PLUGIN): $(FUZZ)/plugin/coverage.c $(FUZZ)/plugin/map.h pmu/model/qemu_plugin.h
	$(call say,HOSTCC,$<)
	$(Q)$(CC) $(FUZZ_HOST_CFLAGS) -fPIC -fvisibility=hidden -shared -Ipmu/model -I$(FUZZ)/plugin \
	    $< -o $@

FUZZ_LINES := $(BUILD)/fuzz-lines
$(FUZZ_LINES): $(FUZZ)/lines/lines.c
	$(call say,HOSTCC,$<)
	$(Q)$(CC) $(FUZZ_HOST_CFLAGS) $< -ldw -o $@

# The servers, and nothing else that is not needed; the driver adds a corpus.
FUZZ_INITRD := $(BUILD)/fuzz-initrd.list
FUZZ_INITRD_PROGRAMS := init fs proc net dci true $(FUZZ_PROGRAMS)
FUZZ_INITRD_FILES = $(filter-out bin/%,$(INITRD_FILES)) \
    $(foreach program,$(FUZZ_INITRD_PROGRAMS),bin/$(program)=$(USER)/bin/$(program))
$(FUZZ_INITRD): $(FUZZ_INITRD_PROGRAMS:%=$(USER)/bin/%) FORCE
	$(call remember,$(FUZZ_INITRD_FILES))

.PHONY: fuzz-ready
fuzz-ready: $(BENCH_ELF) $(FUZZ_INITRD) $(COVERAGE_PLUGIN) $(PMU_MODEL) $(FUZZ_LINES)

# The machines of tests/system/test_fuzz.py.
test-now: fuzz-ready

CALLS     ?= 1000000
PROCESSES ?= 0
MINUTES   ?= 0
SEED      ?= 1
FUZZFLAGS ?=
FUZZ_RUN = $(FUZZ)/fuzz --build $(BUILD) run --calls $(CALLS) --processes $(PROCESSES) \
    --minutes $(MINUTES) --cpus $(CPUS) \
    --seed $(SEED) $(FUZZFLAGS)

fuzz-now: fuzz-ready
	@$(FUZZ_RUN) --out $(BUILD)/fuzz

# Random messages, requests and frames of browsers (tests/unit/gateway).
GATEWAY ?= 1000000
fuzz-gateway-now: $(BUILD)/unit/gateway_fuzz $(BUILD)/unit/gateway_net_fuzz
	KOV_FUZZ_ROUNDS=$(GATEWAY) KOV_FUZZ_SEED=$(SEED) $(BUILD)/unit/gateway_fuzz
	KOV_FUZZ_ROUNDS=$$(($(GATEWAY) / 10)) KOV_FUZZ_SEED=$(SEED) $(BUILD)/unit/gateway_net_fuzz

# Spoilt traces: the engine by itself (tests/unit/viewer/engine.c, dump.c), and all of kov's
# commands, with sanitizers, on folders, dumps, disks and answers of machines.
FUZZ_KOV := $(BUILD)/fuzz-kov/kov
FUZZ_KOV_OBJS := $(patsubst %.c,$(BUILD)/fuzz-kov/%.o,$(KOV_SRC) trace/src/table.c \
    trace/src/waits.c servers/fs/snapshot.c userlib/cpio/cpio.c \
    $(wildcard servers/sched/policies/*.c))
FUZZ_KOV_MADE := $(addprefix $(BUILD)/viewer/,dci.pb-c.o pprof.pb-c.o messages.o assets.o \
    event_table.o)
FUZZ_KOV_SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer
# Whatever has kov made anew.
$(FUZZ_KOV_OBJS): $(BUILD)/fuzz-kov/%.o: %.c $(KOV)
	$(call say,HOSTCC,$< [sanitized])
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -O1 $(FUZZ_KOV_SANITIZE) -c $< -o $@
$(FUZZ_KOV): $(FUZZ_KOV_OBJS)
	$(call say,HOSTLD,$@)
	$(Q)$(CC) $(FUZZ_KOV_SANITIZE) $^ $(FUZZ_KOV_MADE) $(KOV_LIBS) -o $@

TRACES ?= 20000
fuzz-trace-now: $(BUILD)/unit/kov_engine $(BUILD)/unit/kov_dump $(FUZZ_KOV)
	KOV_FUZZ_ROUNDS=$(TRACES) $(BUILD)/unit/kov_engine
	KOV_FUZZ_ROUNDS=$(TRACES) $(BUILD)/unit/kov_dump
	$(FUZZ)/fuzz-traces --kov $(FUZZ_KOV) --rounds $(TRACES) --seed $(SEED) \
	    --out $(BUILD)/fuzz-traces

# What the system tests and the fuzzer reach of the kernel.
COVERAGE := $(BUILD)/coverage
coverage-now: system-ready fuzz-ready
	@rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	-@ORRERY_COVERAGE=$(abspath $(COVERAGE)) scripts/run-tests --build $(BUILD) --suite tests/system
	-@$(FUZZ_RUN) --out $(COVERAGE)/fuzz --no-minimise > $(COVERAGE)/fuzz.log
	@$(FUZZ)/fuzz --build $(BUILD) coverage --missing $(COVERAGE) $(COVERAGE)/fuzz

# Defects that are there on purpose: found by a kernel with the sanitizer.
fuzz-planted-now: fuzz-ready
	@$(FUZZ)/fuzz --build $(BUILD) planted --folder $(BUILD)/planted --third $(THIRD) \
	    --make SANITIZE=address --cpus $(CPUS)
