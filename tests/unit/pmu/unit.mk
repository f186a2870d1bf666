# SPDX-License-Identifier: MIT
UNIT += pmu_sample_buffer
pmu_sample_buffer_SRC := tests/unit/pmu/sample_buffer.c tests/unit/pmu/platform.c \
    pmu/src/sample_buffer.c
pmu_sample_buffer_INC := pmu/include pmu

UNIT += pmu_sample_buffer_race
pmu_sample_buffer_race_SRC := tests/unit/pmu/sample_buffer_race.c tests/unit/pmu/platform.c \
    pmu/src/sample_buffer.c
pmu_sample_buffer_race_INC := pmu/include pmu
pmu_sample_buffer_race_SANITIZERS := thread

# With the modelled machines, which are what requests are for.
UNIT += pmu_events
pmu_events_SRC := tests/unit/pmu/events.c pmu/src/events.c pmu/model/models/machine.c
pmu_events_INC := pmu/include pmu

UNIT += pmu_allocate
pmu_allocate_SRC := tests/unit/pmu/allocate.c pmu/src/allocate.c pmu/src/events.c \
    pmu/model/models/machine.c
pmu_allocate_INC := pmu/include pmu

UNIT += pmu_rotate
pmu_rotate_SRC := tests/unit/pmu/rotate.c pmu/src/rotate.c
pmu_rotate_INC := pmu/include

UNIT += pmu_multiplex
pmu_multiplex_SRC := tests/unit/pmu/multiplex.c pmu/src/multiplex.c tests/unit/pmu/estimate.c
pmu_multiplex_INC := pmu/include
pmu_multiplex_LIBS := m

UNIT += pmu_multiplex_workload
pmu_multiplex_workload_SRC := tests/unit/pmu/multiplex_workload.c pmu/src/multiplex.c \
    tests/unit/pmu/estimate.c pmu/src/rotate.c \
    pmu/src/allocate.c pmu/src/events.c pmu/model/models/machine.c
pmu_multiplex_workload_INC := pmu/include pmu
pmu_multiplex_workload_LIBS := m

UNIT += pmu_counting_request
pmu_counting_request_SRC := tests/unit/pmu/counting_request.c pmu/src/counting_request.c \
    pmu/src/share.c pmu/src/allocate.c pmu/src/events.c
pmu_counting_request_INC := pmu/include pmu

UNIT += pmu_sampling_request
pmu_sampling_request_SRC := tests/unit/pmu/sampling_request.c pmu/src/sampling_request.c \
    pmu/src/share.c pmu/src/allocate.c pmu/src/events.c
pmu_sampling_request_INC := pmu/include pmu

UNIT += pmu_share
pmu_share_SRC := tests/unit/pmu/share.c pmu/src/share.c pmu/src/allocate.c pmu/src/events.c \
    pmu/model/models/machine.c
pmu_share_INC := pmu/include pmu

# $(call engine_unit,name): tests of one CPU's engine.
define engine_unit
UNIT += pmu_$(1)
pmu_$(1)_SRC := tests/unit/pmu/$(1).c tests/unit/pmu/engine_harness.c pmu/src/engine.c \
    pmu/src/share.c pmu/src/counting_request.c pmu/src/sampling_request.c pmu/src/allocate.c \
    pmu/src/events.c pmu/src/multiplex.c pmu/src/rotate.c pmu/src/tasks.c \
    tests/unit/pmu/estimate.c \
    tests/unit/pmu/platform.c
pmu_$(1)_LIBS := m
pmu_$(1)_INC := pmu/include pmu kernel/include
endef
$(foreach test,engine engine_sessions engine_sampling,$(eval $(call engine_unit,$(test))))

UNIT += pmu_tasks
pmu_tasks_SRC := tests/unit/pmu/tasks.c tests/unit/pmu/platform.c pmu/src/tasks.c \
    pmu/src/multiplex.c tests/unit/pmu/estimate.c
pmu_tasks_INC := pmu/include pmu

pmu_multiplex_workload_LONG := 1
pmu_allocate_LONG := 1
