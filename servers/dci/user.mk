# SPDX-License-Identifier: MIT
# The DCI server: what viewers talk to.
PROGRAM := dci
SRC := ask.c client.c console.c count_mode.c counting.c dref.c exclusion.c frame.c input.c objects.c processes.c queue.c requests.c runs.c \
    sampling.c sampling_request.c scope.c server.c session.c sleep_locks.c switching.c token.c \
    tracing.c tracing_counts.c tracing_lists.c tracing_processes.c tracing_settings.c workloads.c \
    $(addprefix process/,ask_self.c ask_thread.c byte_queue.c console_calls.c main.c programs.c registry.c support.c)
ROOT_SRC := $(GEN)/dci/dci.pb.c
DEPS := ipc posix socket objects trace user
LIBS := nanopb
