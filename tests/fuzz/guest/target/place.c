// SPDX-License-Identifier: MIT
// Places that a program can name (host/text.py).
#include "target.h"

extern const u8 text_start[], rodata_start[], data_start[], bss_start[], image_end[];

#define OTHER_CPU(cpu) ((cpu) ^ 1)

static u64 window_of(u32 cpu)
{
    return USER_WINDOW + cpu * R13_WINDOW_SIZE;
}

u64 place_address(struct thread *self, u32 place)
{
    const u64 places[FUZZ_PLACES] = {
        [FUZZ_PLACE_USER_START] = USER_START,
        [FUZZ_PLACE_IMAGE] = USER_IMAGE,
        [FUZZ_PLACE_TEXT] = (u64)text_start,
        [FUZZ_PLACE_ENTRY] = descriptor(_start)[0],
        [FUZZ_PLACE_UPCALL] = descriptor(upcall_entry)[0],
        [FUZZ_PLACE_LANDING] = descriptor(landing)[0],
        [FUZZ_PLACE_TOC] = descriptor(_start)[1],
        [FUZZ_PLACE_RODATA] = (u64)rodata_start,
        [FUZZ_PLACE_AREA] = AREA,
        [FUZZ_PLACE_AREA_OTHER] = AREA_OTHER,
        [FUZZ_PLACE_AREA_READ_ONLY] = AREA_READ_ONLY,
        [FUZZ_PLACE_AREA_EXECUTABLE] = AREA_EXECUTABLE,
        [FUZZ_PLACE_HOLE] = AREA_HOLE,
        [FUZZ_PLACE_STACK] = (u64)&place,
        [FUZZ_PLACE_STACK_SPARE] = thread_spare(OTHER_CPU(self->cpu)),
        [FUZZ_PLACE_UPCALL_STACK] = thread_upcalls(self->cpu),
        [FUZZ_PLACE_SLOT] = SLOT_AT,
        [FUZZ_PLACE_COVERAGE] = COVERAGE_AT,
        [FUZZ_PLACE_COMMON] = COMMON_AT,
        [FUZZ_PLACE_HEAP] = USER_HEAP,
        [FUZZ_PLACE_MAP] = USER_MAP + 0x40000000,
        [FUZZ_PLACE_MAP_OTHER] = USER_MAP + 0x80000000,
        [FUZZ_PLACE_MONITOR] = USER_INSPECT,
        [FUZZ_PLACE_WINDOW] = window(),
        [FUZZ_PLACE_WINDOW_OTHER] = window_of(OTHER_CPU(self->cpu)),
        [FUZZ_PLACE_MESSAGE] = window() + WINDOW_MESSAGE,
        [FUZZ_PLACE_TRACE] = window() + R13_TRACE,
        [FUZZ_PLACE_PMU] = window() + R13_PMU,
        [FUZZ_PLACE_OBJECTS] = window() + R13_CO,
        [FUZZ_PLACE_LTT] = window() + R13_LTT,
        [FUZZ_PLACE_COUNTS] = window() + R13_COUNTS,
        [FUZZ_PLACE_USER_END] = USER_END,
        [FUZZ_PLACE_KERNEL] = 0xc000000000000000,
        [FUZZ_PLACE_KERNEL_TEXT] = 0xc000000000400000,
        [FUZZ_PLACE_KERNEL_DATA] = 0xc000000000c00000,
        [FUZZ_PLACE_KERNEL_WINDOW] = 0xc000100000000000,
        [FUZZ_PLACE_REAL] = 0x8000000000000000,
        [FUZZ_PLACE_DATA] = (u64)data_start,
        [FUZZ_PLACE_IMAGE_OFFSET] = state()->image_offset,
        [FUZZ_PLACE_BSS] = (u64)bss_start,
        [FUZZ_PLACE_END] = (u64)image_end,
    };

    return place < FUZZ_PLACES ? places[place] : 0;
}
