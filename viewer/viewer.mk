# SPDX-License-Identifier: MIT
# kov, the host-side viewer: `make kov` builds $(BUILD)/kov and its manual page, $(BUILD)/kov.1.

KOV := $(BUILD)/kov
KOV_MANUAL := $(BUILD)/kov.1
# Rooms, lowest first: what stands in one includes nothing of those behind it (make lint).
KOV_ROOMS := tools output wire machine symbols counts samples locks trace record lttng \
    analyses monitors export gateway commands
# What it includes of the machine (make lint).
KOV_MACHINE := orrery/% trace/cpu.h trace/dump.h trace/layout.h trace/reasons.h \
    trace/table.h trace/waits.h fs/snapshot.h cpio/cpio.h \
    sched/policies/policy.h
KOV_SRC := $(foreach room,$(KOV_ROOMS),$(wildcard viewer/$(room)/*.c))
KOV_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) -Wconversion -D_GNU_SOURCE -Iinclude -Itrace/include \
    -Iviewer -Iservers -Iuserlib/cpio/include \
    -isystem $(GEN) -isystem $(GEN)/host -isystem $(GEN)/gateway
KOV_LIBS := -lprotobuf-c -ljansson -ldw -lelf -lcapstone -lz -lwebsockets -lpthread -lm
KOV_OBJS := $(KOV_SRC:viewer/%.c=$(BUILD)/viewer/%.o) $(BUILD)/viewer/dci.pb-c.o \
    $(BUILD)/viewer/pprof.pb-c.o $(BUILD)/viewer/messages.o $(BUILD)/viewer/assets.o \
    $(BUILD)/viewer/event_table.o $(BUILD)/viewer/event_look_up.o $(BUILD)/viewer/program_waits.o \
    $(BUILD)/viewer/disk_snapshot.o $(BUILD)/viewer/disk_archive.o \
    $(BUILD)/viewer/policy_table.o $(BUILD)/viewer/policy_balance.o \
    $(BUILD)/viewer/policy_calls.o

# What browsers and the gateway say to each other (viewer/gateway/messages.def).
MESSAGES_GEN := $(GEN)/gateway/messages.h $(GEN)/gateway/messages.c
$(MESSAGES_GEN) &: viewer/gateway/messages.py viewer/gateway/messages.def
	$(call say,GEN,gateway/messages.h messages.c)
	@mkdir -p $(GEN)/gateway
	$(Q)$(PYTHON) $< --c $(GEN)/gateway viewer/gateway/messages.def
# Frames with values that the page's tests know (tests/unit/gateway/vectors.h).
$(GEN)/gateway/vectors.c: viewer/gateway/messages.py viewer/gateway/messages.def
	$(call say,GEN,gateway/vectors.c)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< --vectors $(@D) viewer/gateway/messages.def
$(BUILD)/viewer/messages.o: $(GEN)/gateway/messages.c $(BUILD)/viewer/flags
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -c $< -o $@

# The trace's events, from the same descriptions as the machine's own.
$(BUILD)/viewer/event_table.o: $(GEN)/trace/event_table.c
$(BUILD)/viewer/event_look_up.o: trace/src/table.c
# What threads of a program wait for, read from a dump as the machine reads it.
$(BUILD)/viewer/program_waits.o: trace/src/waits.c
$(BUILD)/viewer/event_table.o $(BUILD)/viewer/event_look_up.o $(BUILD)/viewer/program_waits.o: \
    $(BUILD)/viewer/flags
	$(call say,HOSTCC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -c $(filter %.c,$^) -o $@

# The machine's disk: its format, from the same sources as the machine's own.
$(BUILD)/viewer/disk_snapshot.o: servers/fs/snapshot.c
$(BUILD)/viewer/disk_archive.o: userlib/cpio/cpio.c
$(BUILD)/viewer/disk_snapshot.o $(BUILD)/viewer/disk_archive.o: $(BUILD)/viewer/flags
	$(call say,HOSTCC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -c $(filter %.c,$^) -o $@

# What the machine's scheduler decides, to decide it again.
$(BUILD)/viewer/policy_%.o: servers/sched/policies/%.c $(BUILD)/viewer/flags
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -c $< -o $@

# The files of the page, compressed, in the program.
$(BUILD)/viewer/assets.o: viewer/gateway/assets.S $(BUILD)/web/assets.stamp
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(BUILD)/web -c $< -o $@

$(BUILD)/viewer/flags: FORCE
	$(call remember,$(CC) $(KOV_CFLAGS) $(KOV_LIBS) $(KOV_SRC))

$(BUILD)/viewer/%.o: viewer/%.c $(BUILD)/viewer/flags $(HOST_DCI_GEN) $(PPROF_GEN) $(MESSAGES_GEN) \
    $(SYSCALLS_GEN) $(GEN)/ipc/method_names.h
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(KOV_CFLAGS) -MMD -MP -c $< -o $@

# Generated: not held to our warnings.
$(BUILD)/viewer/%.pb-c.o: $(GEN)/host/%.pb-c.c $(GEN)/host/%.pb-c.h
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O2 -g -I$(GEN)/host -c $< -o $@

$(KOV): $(KOV_OBJS)
	$(call say,HOSTLD,$@)
	$(Q)$(CC) $^ $(KOV_LIBS) -o $@

# The manual page: what stands between @ comes from the tables of commands and options.
$(KOV_MANUAL): viewer/kov.1 $(KOV)
	$(call say,MAN,$@)
	$(Q)awk -v kov="$(KOV) help --man" '/^@.*@$$/ { fflush(); name = substr($$0, 2, length - 2); \
	    part = sub(/ ?options$$/, "", name) ? " options " : " synopsis "; \
	    if (system(kov part name)) exit 1; next } { print }' $< > $@.part
	$(Q)mv $@.part $@

.PHONY: kov
kov: $(KOV) $(KOV_MANUAL)

-include $(KOV_OBJS:.o=.d)
