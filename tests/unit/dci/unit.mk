# SPDX-License-Identifier: MIT
# The DCI server against a machine and a network made up by harness.c. Its answers are decoded by
# protobuf-c, which shares no code with the server.
DCI_UNIT_SRC := $(addprefix tests/unit/dci/,harness.c machine.c machine_counting.c \
    machine_monitors.c machine_processes.c watcher.c) \
    userlib/answers/answers.c $(GEN)/host/dci.pb-c.c \
    $(addprefix servers/dci/,client.c console.c counting.c dref.c exclusion.c \
    failures.c frame.c input.c members.c monitors.c objects.c processes.c questions.c queue.c \
    round.c runs.c sample_frames.c sample_stacks.c sample_sums.c sampling.c sampling_request.c \
    sched.c shared_session.c scope.c \
    server.c service.c session.c walk.c sleep_locks.c switching.c system.c token.c \
    tracing.c tracing_counts.c tracing_left_out.c tracing_lists.c tracing_processes.c \
    tracing_settings.c turn.c \
    workloads.c)
# Trace points that are compiled out (trace/point.h) are gone only if something is optimised.
DCI_UNIT_CFLAGS := -O1
DCI_UNIT_INC := tests/unit/dci servers/dci userlib/net/include trace/include userlib/answers/include

$(foreach test,session framing lies lists places pushes counting counting_tasks counting_yields \
    processes sharing sharing_stacks sharing_sums sharing_trace sleep_locks monitors programs \
    fuzz, \
    $(eval UNIT += dci_$(test)) \
    $(eval dci_$(test)_SRC := tests/unit/dci/$(test).c $(DCI_UNIT_SRC)) \
    $(eval dci_$(test)_INC := $(DCI_UNIT_INC)) $(eval dci_$(test)_CFLAGS := $(DCI_UNIT_CFLAGS)) \
    $(eval dci_$(test)_LIBS := nanopb protobuf-c))

UNIT += dci_answers
dci_answers_SRC := tests/unit/dci/answers.c userlib/answers/answers.c
dci_answers_INC := userlib/answers/include

UNIT += dci_frame
dci_frame_SRC := tests/unit/dci/frame.c servers/dci/frame.c
dci_frame_INC := servers/dci
dci_frame_LIBS := nanopb

UNIT += dci_sample_sums
dci_sample_sums_SRC := tests/unit/dci/sample_sums.c servers/dci/sample_sums.c
dci_sample_sums_INC := servers/dci
dci_sample_sums_LIBS := nanopb

UNIT += dci_shared_session
dci_shared_session_SRC := \
    $(addprefix tests/unit/dci/,shared_session.c shared_model.c shared_clients.c) \
    $(GEN)/host/dci.pb-c.c \
    $(addprefix servers/dci/,shared_session.c frame.c queue.c)
dci_shared_session_INC := $(DCI_UNIT_INC)
dci_shared_session_LIBS := nanopb protobuf-c

unit-ready: $(HOST_DCI_GEN)

dci_sharing_trace_LONG := 1
dci_fuzz_LONG := 1
