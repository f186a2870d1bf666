# SPDX-License-Identifier: MIT
# Unit tests of the trace core.
TRACE_CORE := $(addprefix trace/src/,append.c mask.c metadata.c print.c read.c ring.c \
    ring_create.c \
    check.c description.c described.c salvage.c table.c) $(GEN)/trace/event_table.c \
    tests/unit/trace/host_platform.c
TRACE_UNIT := ring counters mask ctf print table described concurrent sequence salvage

# $(call trace_unit,file): a test that runs on the host's platform.
define trace_unit
UNIT += trace_$(1)
trace_$(1)_SRC := tests/unit/trace/$(1).c $(TRACE_CORE)
trace_$(1)_INC := trace/include trace
trace_$(1)_CFLAGS := -DTRACE_HOST_POINTS
endef
$(foreach test,$(TRACE_UNIT),$(eval $(call trace_unit,$(test))))
trace_concurrent_SANITIZERS := thread

UNIT += trace_generator
trace_generator_SRC := tests/unit/trace/generator.c

# The append sequence as it is assembled for the target, for the interpreter in sequence.c.
$(GEN)/trace/append_text.h: trace/src/sequence.S trace/include/trace/cpu.h \
    trace/include/trace/layout.h \
    include/orrery/r13.h
	$(call say,GEN,trace/append_text.h)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(KERNEL_ABI) -D__ASSEMBLER__ -Iinclude -Itrace/include -c $< -o $(@:.h=.o)
	$(Q)$(CROSS)objcopy -O binary -j .text.rseq $(@:.h=.o) $(@:.h=.bin)
	$(Q)od -An -v -w4 -tx4 --endian=big $(@:.h=.bin) | sed 's/ *\(.*\)/0x\1,/' > $@
unit-ready: $(GEN)/trace/append_text.h

trace_generator_LONG := 1
