# SPDX-License-Identifier: MIT
UNIT += pmu_sample_buffer
pmu_sample_buffer_SRC := tests/unit/pmu/sample_buffer.c tests/unit/pmu/platform.c pmu/src/sample_buffer.c
pmu_sample_buffer_INC := pmu/include pmu

UNIT += pmu_sample_buffer_race
pmu_sample_buffer_race_SRC := tests/unit/pmu/sample_buffer_race.c tests/unit/pmu/platform.c \
    pmu/src/sample_buffer.c
pmu_sample_buffer_race_INC := pmu/include pmu
pmu_sample_buffer_race_SANITIZERS := thread
