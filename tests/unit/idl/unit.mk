# SPDX-License-Identifier: MIT
# Interface descriptions: the generator, and generated stubs against generated dispatch.
UNIT += idl_generator
idl_generator_SRC := tests/unit/idl/generator.c

IDL_EXAMPLE := $(addprefix $(GEN)/idl_test/ipc/example,.h _client.c _server.c)
$(IDL_EXAMPLE) &: tests/unit/idl/example.idl $(IPC_TOOL)
	$(call say,GEN,idl_test/ipc/example)
	$(Q)$(PYTHON) ipc/tools/gen_stubs.py $< --out $(GEN)/idl_test/ipc
	@touch $(IDL_EXAMPLE)
unit-ready: $(IDL_EXAMPLE)

UNIT += idl_stubs
idl_stubs_SRC := tests/unit/idl/stubs.c ipc/src/packet.c $(filter %.c,$(IDL_EXAMPLE))
idl_stubs_INC := ipc/include $(GEN)/idl_test

idl_generator_LONG := 1
