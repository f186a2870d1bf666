# SPDX-License-Identifier: MIT
# Interfaces of servers: header, client stubs and dispatch of each ipc/NAME.idl,
# and the page about them.

IPC_TOOL := $(wildcard ipc/tools/*.py)
IPC_IDL := $(sort $(wildcard ipc/*.idl))
IPC_NAMES := $(IPC_IDL:ipc/%.idl=%)
IPC_GEN := $(foreach name,$(IPC_NAMES),$(GEN)/ipc/$(name).h $(GEN)/ipc/$(name)_client.c \
    $(GEN)/ipc/$(name)_server.c) $(GEN)/ipc/method_names.h

# One rule for all: the tool takes milliseconds, and rewrites only what has changed.
$(GEN)/ipc/stamp: $(IPC_IDL) $(IPC_TOOL) include/orrery/errors.h
	$(call say,GEN,ipc/*.h ipc/*.c)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) ipc/tools/gen_stubs.py $(IPC_IDL) --out $(GEN)/ipc --docs docs/interfaces.md
	@touch $@
$(IPC_GEN): $(GEN)/ipc/stamp ;
