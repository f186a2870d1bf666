// SPDX-License-Identifier: MIT
// A process begins: memory, upcalls, then the programs of its slot one after the other.
#include "target.h"

#include <syscalls/numbers.h>

void target_main(u64 argument) __attribute__((noreturn));

s64 call(u64 number, u64 a, u64 b, u64 c, u64 d)
{
    u64 registers[RAW_REGISTERS] = {number, a, b, c, d};
    raw_call(registers);
    return (s64)registers[1];
}

static void register_upcalls(void)
{
    const struct sys_process_image image = {
        .upcall_entry = descriptor(upcall_entry)[0],
        .upcall_toc = descriptor(upcall_entry)[1],
    };
    call(SYS_PROCESS_REGISTER, (u64)&image, 0, 0, 0);
}

bool excluded(const u64 registers[RAW_REGISTERS])
{
    const struct fuzz_guard *guard = guard_of_slot();
    u64 number = registers[0];

    for (u32 i = 0; i < FUZZ_CALLS; i++) {
        const struct fuzz_call *one = &fuzz_calls[i];
        if (one->excluded && one->number == number && one->kind == FUZZ_KIND_PLAIN &&
            (guard->rights & one->right))
            return true;
    }
    if (number != SYS_PROCESS_KILL || !(guard->rights & RIGHT_PROCESS))
        return false;
    // With the right it could end the supervisor, or servers that the others' calls are about.
    for (u32 i = 0; i <= FUZZ_PROTECTED; i++) {
        if (guard->spared[i] != 0 && guard->spared[i] == registers[1])
            return true;
    }
    return false;
}

// argument: 0, or 1 + the number of the thread that a child of another target begins with.
void target_main(u64 argument)
{
    memory_map();
    register_upcalls();
    struct thread *self = thread_here();
    page()->upcall_stack = thread_upcalls(self->cpu);
    self->number = argument < FUZZ_THREADS ? (u32)argument : 0;
    thread_run(self);
}
