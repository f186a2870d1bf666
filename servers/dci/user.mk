# SPDX-License-Identifier: MIT
# The DCI server: what viewers talk to.
PROGRAM := dci
SRC := client.c console.c counting.c dref.c exclusion.c failures.c frame.c input.c \
    members.c monitors.c objects.c processes.c questions.c queue.c round.c runs.c \
    sched.c shared_session.c sample_frames.c sample_stacks.c sample_sums.c sampling.c \
    sampling_request.c scope.c server.c service.c \
    session.c \
    sleep_locks.c switching.c system.c token.c walk.c \
    tracing.c tracing_counts.c tracing_left_out.c tracing_lists.c tracing_processes.c \
    tracing_settings.c turn.c workloads.c \
    $(addprefix process/,byte_queue.c console_calls.c kick.c main.c programs.c registry.c support.c)
ROOT_SRC := $(GEN)/dci/dci.pb.c
DEPS := answers ipc posix socket objects tracing user
LIBS := nanopb
