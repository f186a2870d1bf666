# SPDX-License-Identifier: MIT
# The DCI server against a machine and a network made up by harness.c. Its answers are decoded by protobuf-c,
# which shares no code with the server.
DCI_UNIT_SRC := tests/unit/dci/harness.c tests/unit/dci/machine.c $(GEN)/host/dci.pb-c.c \
    $(addprefix servers/dci/,client.c frame.c input.c objects.c queue.c requests.c sampling.c server.c session.c \
    token.c tracing.c workloads.c)
DCI_UNIT_INC := tests/unit/dci servers/dci servers/dci/include servers/net/include trace/include

$(foreach test,session framing lists pushes fuzz,$(eval UNIT += dci_$(test)) \
    $(eval dci_$(test)_SRC := tests/unit/dci/$(test).c $(DCI_UNIT_SRC)) \
    $(eval dci_$(test)_INC := $(DCI_UNIT_INC)) $(eval dci_$(test)_LIBS := nanopb protobuf-c))

unit-ready: $(HOST_DCI_GEN)
