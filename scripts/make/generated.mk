# SPDX-License-Identifier: MIT
# Generated sources: trace events from their descriptions, protobuf messages for the kernel,
# the viewer and the tests.

GEN := $(BUILD)/gen

# $(eval $(call made_by,STAMP,FILES)): the rule of STAMP makes these files, and changes those whose
# text changes. What depends on the others is not built again.
define made_by
$(2): $(1)
	@[ -f $$@ ] || { rm -f $(1); echo "$$@ is gone: run make once more" >&2; exit 1; }
endef

TRACE_GEN := $(GEN)/trace/events.h $(GEN)/trace/event_table.c
TRACE_TOOL := $(wildcard trace/tools/*.py)
# TRACE_WITHOUT=LOCK,IPC: majors that are compiled out, points and descriptions.
TRACE_WITHOUT ?=
$(GEN)/trace/without: FORCE
	$(call remember,$(TRACE_WITHOUT))
$(GEN)/trace/made: $(TRACE_TOOL) $(wildcard trace/events/*.def) $(GEN)/trace/without
	$(call say,GEN,trace/events.h event_table.c)
	@mkdir -p $(GEN)/trace
	$(Q)$(PYTHON) trace/tools/gen_events.py --defs trace/events \
	    --without '$(TRACE_WITHOUT)' --out $(GEN)/trace
	@touch $@
$(eval $(call made_by,$(GEN)/trace/made,$(TRACE_GEN)))
ifneq ($(filter trace,$(OBSERVERS)),)
$(eval $(call object,trace,$(GEN)/trace/event_table.c,$(BUILD)/obj/gen/trace/event_table.o))
endif

# System calls from their table: numbers, the kernel's decoding, the stubs of user programs,
# and a page.
SYSCALLS_DEF := kernel/syscalls/syscalls.def
SYSCALLS_GEN := $(addprefix $(GEN)/syscalls/,numbers.h names.h objects.h shapes.h table.c stubs.S)
SYSCALLS_TOOL := kernel/syscalls/gen_syscalls.py
SYSCALLS_TOOLS := $(SYSCALLS_TOOL) $(wildcard kernel/syscalls/syscall_*.py)
$(GEN)/syscalls/made: $(SYSCALLS_TOOLS) $(SYSCALLS_DEF)
	$(call say,GEN,syscalls/numbers.h names.h objects.h shapes.h table.c stubs.S)
	@mkdir -p $(GEN)/syscalls
	$(Q)$(PYTHON) $(SYSCALLS_TOOL) --defs $(SYSCALLS_DEF) --out $(GEN)/syscalls
	@touch $@
$(eval $(call made_by,$(GEN)/syscalls/made,$(SYSCALLS_GEN)))
$(eval $(call object,kernel,$(GEN)/syscalls/table.c,$(BUILD)/obj/gen/syscalls/table.o))
docs/system-calls.md: $(SYSCALLS_TOOLS) $(SYSCALLS_DEF)
	$(Q)$(PYTHON) $(SYSCALLS_TOOL) --defs $(SYSCALLS_DEF) --doc $@

# Offsets for assembly, from the assembly of a file that names them.
OFFSETS_GEN := $(GEN)/kernel/asm_offsets.h
$(OFFSETS_GEN): kernel/asm_offsets.c $(BUILD)/obj/kernel.flags | \
    $(TRACE_GEN) $(SYSCALLS_GEN) $(NEWLIB_STAMP)
	$(call say,GEN,kernel/asm_offsets.h)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(call module_flags,kernel) -MMD -MP -MT $@ -MF $@.d -S $< -o $@.s
	$(Q)sed -n 's/^[[:space:]]*->\([A-Za-z_0-9]*\) \(.*\)/#define \1 \2/p' $@.s > $@.new
	$(Q)[ -s $@.new ] && mv $@.new $@
-include $(OFFSETS_GEN).d

DCI_GEN := $(GEN)/dci/dci.pb.h $(GEN)/dci/dci.pb.c
$(DCI_GEN) &: proto/dci.proto $(wildcard proto/dci.options)
	$(call say,GEN,dci.pb.c dci.pb.h)
	@mkdir -p $(GEN)/dci
	$(Q)$(PYTHON) /usr/bin/nanopb_generator.py --quiet --proto-path=proto --output-dir=$(GEN)/dci \
	    dci.proto

HOST_DCI_GEN := $(GEN)/host/dci.pb-c.h $(GEN)/host/dci.pb-c.c
$(HOST_DCI_GEN) &: proto/dci.proto
	$(call say,GEN,dci.pb-c.c dci.pb-c.h)
	@mkdir -p $(GEN)/host
	$(Q)protoc-c --proto_path=proto --c_out=$(GEN)/host dci.proto

# The profiles of `kov export --format pprof`.
PPROF_GEN := $(GEN)/host/pprof.pb-c.h $(GEN)/host/pprof.pb-c.c
$(PPROF_GEN) &: viewer/export/pprof.proto
	$(call say,GEN,pprof.pb-c.c pprof.pb-c.h)
	@mkdir -p $(GEN)/host
	$(Q)protoc-c --proto_path=viewer/export --c_out=$(GEN)/host pprof.proto

$(GEN)/python/dci_pb2.py: proto/dci.proto
	$(call say,GEN,dci_pb2.py)
	@mkdir -p $(@D)
	$(Q)protoc --proto_path=proto --python_out=$(@D) dci.proto
PYTHON_GEN := $(GEN)/python/dci_pb2.py
