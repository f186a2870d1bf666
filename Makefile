# SPDX-License-Identifier: MIT
# Orrery's build. `make help` lists the targets; docs/building.md explains how the pieces fit.

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
# A job for each CPU, unless -j says otherwise; a make that is called shares its caller's.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
.DELETE_ON_ERROR:

BUILD ?= build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
THIRD ?= build/third_party
V     ?= 0

# Of the command line, a program to profile; each user.mk has a PROGRAM of its own.
ifeq ($(origin PROGRAM),command line)
PROFILED := $(PROGRAM)
override undefine PROGRAM
endif

.PHONY: FORCE all
FORCE:

all: kernel viewer initrd pmu-model

include scripts/make/flags.mk
include kernel/sanitize/sanitize.mk
include scripts/make/modules.mk
include scripts/make/generated.mk
include ipc/ipc.mk
include third_party/third_party.mk
include scripts/make/kernel.mk
include scripts/make/user.mk
include ports/ports.mk
include scripts/make/unit.mk
include viewer/viewer.mk
include viewer/web/web.mk
include pmu/model/model.mk
include tests/fuzz/fuzz.mk
include bench/profile/profile.mk

VIEWER := $(KOV) $(KOV_MANUAL)
.PHONY: viewer
viewer: $(VIEWER)

# What must exist before any kernel source is compiled; exact dependencies follow from the compiler.
.PHONY: kernel-ready
kernel-ready: $(TRACE_GEN) $(SYSCALLS_GEN) $(OFFSETS_GEN) $(NEWLIB_STAMP)

# --- What people call -----------------------------------------------------------------------------

CPUS    ?= 2
MEM     ?= 512M
PORT    ?= 4242
TOKEN   ?=
WEB     ?= 8420
VIEW    ?= 1
GDBPORT ?= 1234
APPEND  ?=
DISK    ?=
PMU     ?= model
ONESHOT ?= 0
ALL     ?= 0
PORTS   ?= 0

MACHINE = --kernel $(BENCH_ELF) --mem $(MEM)$(if $(DISK), --disk '$(DISK)') \
    $(RUN_PORTS:%=--initrd %)
QEMU = scripts/qemu $(MACHINE)
RUN = scripts/run-machine --build $(BUILD) --port $(PORT)
# What people boot, and the same with benchmarks and tests.
IMAGES := $(KERNEL_ELF) $(INITRD) $(BENCH_ELF) $(BENCH_INITRD)
# With programs of others besides (ports/).
RUN_PORTS := $(if $(filter 1,$(PORTS)),$(PORTS_INITRD))
PORTS_SETUP = $(if $(RUN_PORTS)$(filter ports test-ports,$@),ports)

# With nothing chosen, the programs that validate what the monitor sees of
# processes complete the table.
VALIDATE = $(if $(filter bench=% run=% init=%,$(APPEND)),,init=bin/validation )
BENCH = $(if $(filter bench=%,$(APPEND)),,bench=all )
CONTROLLER = $(if $(TOKEN),$(if $(filter controller=%,$(APPEND)),,controller=$(TOKEN) ))

# Set-up first, then everything else in a second make, which sees the tools that set-up has
# installed. npm's come before what is built with them: it replaces all of its folder.
PUBLIC := run check test test-long test-sanitized bench bench-scaling bench-growth bench-slowdown \
    bench-overhead bench-weight bench-linux bench-profile bench-trace bench-web-viewer eval-s003 \
    eval-s004 debug fuzz fuzz-planted fuzz-gateway fuzz-trace fail-power fail-memory coverage \
    ports test-ports test-posix test-core
.PHONY: $(PUBLIC) $(PUBLIC:%=%-now)
$(PUBLIC):
	@scripts/setup $(or $(if $(filter test test-long bench-web-viewer,$@),web),$(PORTS_SETUP))
	$(if $(filter check test test-long,$@),@$(MAKE) --no-print-directory --silent $(WEB_TOOLS))
	@$(MAKE) --no-print-directory $(if $(filter check,$@),WERROR=1) $@-now

ifeq ($(ONESHOT),1)
run-now: $(IMAGES) $(RUN_PORTS) $(PMU_MODEL)
	@$(QEMU) --pmu $(PMU) --cpus $(CPUS) --append '$(BENCH)$(VALIDATE)oneshot $(APPEND)' < /dev/null
else
run-now: $(IMAGES) $(RUN_PORTS) $(VIEWER) $(PMU_MODEL)
	@echo "  BOOT     DCI on 127.0.0.1:$(PORT); another shell: $(BUILD)/kov objects;" \
	    "leave with Ctrl-A X"
	@$(RUN) $(if $(filter 0,$(VIEW)),,--web $(WEB)) --append '$(BENCH)$(CONTROLLER)$(APPEND)' -- \
	    $(MACHINE) --pmu $(PMU) --cpus $(CPUS)
endif

# The inner loop: everything that needs no machine, and one machine with all servers.
check-now: $(IMAGES) $(VIEWER) $(PMU_MODEL) $(UNIT_SHORT) $(PYTHON_GEN) $(WEB_TOOLS) \
    $(WEB_MESSAGES)
	@begin=$$(date +%s); status=0; \
	BUILD=$(BUILD) scripts/lint > $(BUILD)/lint.said 2>&1 & lint=$$!; \
	timeout 120 $(QEMU) --append 'run=bin/test-servers oneshot' < /dev/null || status=1; \
	scripts/run-tests --build $(BUILD) --suite tests/viewer \
	    --marked 'not long and not minutes' $(UNIT_SHORT) \
	    || status=1; \
	wait $$lint || status=1; cat $(BUILD)/lint.said; \
	echo "  CHECK    $$(($$(date +%s) - begin)) s, after the build"; exit $$status

test-now: system-ready $(PROMETHEUS_STAMP) $(UNIT_BINS) $(WEB_TOOLS) $(WEB_OUT)/vectors
	@scripts/run-tests --build $(BUILD) $(TESTFLAGS) --marked 'not minutes' $(UNIT_BINS)

# The tables of POSIX calls: what the host's library says, then what ours does.
test-posix-now: $(IMAGES) $(BUILD)/unit/posix_tables
	@$(BUILD)/unit/posix_tables
	@timeout 300 $(QEMU) --cpus $(CPUS) --append 'run=bin/test-posix oneshot' < /dev/null

# A kernel without observers, and what must work on it. OBSERVERS= of the command line has its say.
CORE = $(BUILD)-core
test-core-now: $(BENCH_INITRD)
	@$(MAKE) --no-print-directory BUILD=$(CORE) THIRD=$(THIRD) \
	    OBSERVERS='$(if $(filter command%,$(origin OBSERVERS)),$(OBSERVERS))' $(CORE)/orrery.elf
	@for program in test-ipc test-processes; do \
	    timeout 300 scripts/qemu --kernel $(CORE)/orrery.elf --mem $(MEM) --initrd $(BENCH_INITRD) \
	        --cpus $(CPUS) --append "init=bin/$$program" < /dev/null || exit 1; \
	done

# What `make test` leaves out, as each takes minutes.
test-long-now: system-ready $(PROMETHEUS_STAMP) $(WEB_TOOLS)
	@scripts/run-tests --build $(BUILD) $(TESTFLAGS) --suite tests/system --suite tests/viewer \
	    --suite tests/web --marked minutes

# What the system tests need, without unit tests but for the judge of disks.
.PHONY: system-ready
system-ready: $(IMAGES) $(VIEWER) $(PMU_MODEL) $(PROFILE_PLUGIN) $(PYTHON_GEN) \
    $(BUILD)/unit/fs_power

# Power cuts at any write to the disk: of recorded servers, then of recorded machines.
POWER ?= 1
fail-power-now: system-ready
	@ORRERY_POWER_RUNS=$(POWER) $(BUILD)/unit/fs_power
	@ORRERY_POWER_RUNS=$(POWER) ORRERY_BUILD=$(abspath $(BUILD)) PYTHONDONTWRITEBYTECODE=1 \
	    $(PYTHON) -m pytest -p no:cacheprovider -s -v tests/system/test_power.py

# Each allocation for a process or a server, in turn; from where on at random, says SEED.
fail-memory-now: system-ready
	@ORRERY_FAIL_MEMORY=all $(if $(SEED),ORRERY_FAIL_SEED=$(SEED)) \
	    ORRERY_BUILD=$(abspath $(BUILD)) PYTHONDONTWRITEBYTECODE=1 \
	    $(PYTHON) -m pytest -p no:cacheprovider -s -v tests/system/test_fail_memory.py

# One after the other: third-party code is the same.
SANITIZED := address undefined
.PHONY: $(SANITIZED:%=sanitized-%)
sanitized-undefined: sanitized-address
$(SANITIZED:%=sanitized-%): sanitized-%:
	@$(MAKE) --no-print-directory SANITIZE=$* BUILD=$(BUILD)-$* system-ready \
	    $(if $(filter 1,$(ALL)),fuzz-ready)

test-sanitized-now: $(SANITIZED:%=sanitized-%)
	@scripts/test-sanitized $(if $(filter 1,$(ALL)),--all) $(SANITIZED:%=$(BUILD)-%)

bench-now: $(IMAGES) $(VIEWER)
	@scripts/bench --build $(BUILD) $(BENCHFLAGS)

bench-scaling-now: $(IMAGES)
	@scripts/bench --build $(BUILD) --scaling $(BENCHFLAGS)

bench-growth-now: $(IMAGES)
	@scripts/bench-growth --build $(BUILD) $(BENCHFLAGS)

bench-slowdown-now: $(IMAGES) $(PMU_MODEL)
	@scripts/costs slowdown --build $(BUILD) $(BENCHFLAGS)

bench-overhead-now: $(IMAGES) $(VIEWER) $(PMU_MODEL)
	@scripts/costs overhead --build $(BUILD) $(BENCHFLAGS)

# What watching weighs on a machine: with nobody, the gateway, browsers, top, record.
bench-weight-now: $(IMAGES) $(VIEWER) $(PMU_MODEL) $(PYTHON_GEN)
	@scripts/costs weight --build $(BUILD) $(BENCHFLAGS)

# The same operations on Debian's Linux: fetches it.
bench-linux-now: $(IMAGES)
	@scripts/bench-linux --build $(BUILD) $(BENCHFLAGS)

# Where the instructions of a line of `make bench` go, or of a program between its marks.
LINE ?= net.web_request
bench-profile-now: $(IMAGES) $(PROFILE_PLUGIN)
	@scripts/bench-profile --build $(BUILD) --cross $(CROSS) $(BENCHFLAGS) \
	    $(if $(PROFILED),--program $(PROFILED) --args '$(ARGS)',$(LINE))

bench-trace-now: $(VIEWER)
	@scripts/bench-trace --build $(BUILD) $(BENCHFLAGS)

# What monitors cost, as S003 measures it, beside a kernel without monitors.
LOOPS ?= 400
eval-s003-now: $(IMAGES)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-without-monitors THIRD=$(THIRD) \
	    OBSERVERS='log trace' $(BUILD)-without-monitors/orrery-bench.elf
	@scripts/eval-s003 --build $(BUILD) --without $(BUILD)-without-monitors --loops $(LOOPS)

# What logs for schedulers cost, as S004 measures it.
eval-s004-now: $(IMAGES)
	@scripts/eval-s004 --build $(BUILD)

SECONDS ?= 60
# The page and the gateway under load (tests/web/bench): prints, and judges nothing.
bench-web-viewer-now: $(VIEWER) $(WEB_OUT)/assets.stamp $(WEB_TOOLS) $(PYTHON_GEN)
	@node tests/web/bench/frames.mjs $(WEB_OUT)
	@ORRERY_BUILD=$(BUILD) $(PYTHON) tests/web/bench/load.py
	@ORRERY_BUILD=$(BUILD) $(PYTHON) tests/web/bench/memory.py $(SECONDS)

debug-now: $(IMAGES)
	@echo "  WAIT     for the debugger; another shell: scripts/gdb $(BENCH_ELF) $(GDBPORT)"
	@$(RUN) --append '$(CONTROLLER)$(APPEND)' -- $(MACHINE) --cpus $(CPUS) --gdb $(GDBPORT)

# Proofs by Frama-C, for those who ask: not part of run and test, and with a set-up of their own.
PROOFS := prove prove-quick prove-planted
.PHONY: $(PROOFS) $(PROOFS:%=%-now)
$(PROOFS):
	@scripts/setup proofs
	@$(MAKE) --no-print-directory $@-now

PROVE = scripts/prove --build $(BUILD) $(SUBJECT:%=--subject %)
# What calls, and is called by, the generated code of interfaces.
$(GEN)/proofs/stamp: tests/proofs/interfaces.py $(IPC_GEN)
	$(call say,GEN,proofs/*.h)
	$(Q)$(PYTHON) $< $(IPC_IDL) --out $(@D)
	@touch $@

$(PROOFS:%=%-now): $(TRACE_GEN) $(SYSCALLS_GEN) $(GEN)/proofs/stamp
prove-now:
	@$(PROVE)
prove-quick-now:
	@$(PROVE) --quick
prove-planted-now:
	@$(PROVE) --planted

.PHONY: check-releases setup lint format clean help
check-releases:
	@scripts/check-releases

setup:
	@scripts/setup

lint: setup
	@$(MAKE) --no-print-directory WERROR=1 kernel $(IPC_GEN) $(WEB_TOOLS) $(WEB_MESSAGES)
	@BUILD=$(BUILD) scripts/lint

format:
	$(Q)git ls-files -co --exclude-standard -- '*.c' '*.h' | xargs clang-format -i

# Third-party builds stay: they depend on nothing of ours. `make clean-all` removes them too.
.PHONY: clean-all
clean:
	$(Q)rm -rf $(filter-out $(THIRD),$(wildcard $(BUILD)/*))
clean-all:
	$(Q)rm -rf $(BUILD) $(THIRD)

help:
	@sed 1,2d scripts/make/help.txt
