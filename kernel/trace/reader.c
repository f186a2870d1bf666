// SPDX-License-Identifier: MIT
// One process at a time may reserve the trace's packets, so that two readers do not each get a
// part. The kernel's own threads need no reservation.
#include "reader.h"

#include <kernel/process.h>
#include <orrery/errors.h>

static u32 reader; // its pid; 0: nobody

static u32 caller(void)
{
    struct process *process = process_current();
    return process != NULL ? process_pid(process) : 0;
}

// Replaces the reader by another, if it is `from`. Returns whether it was.
static bool change(u32 from, u32 to)
{
    return __atomic_compare_exchange_n(&reader, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

s64 trace_reader_check(void)
{
    u32 pid = caller(), has = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
    return pid == 0 || has == 0 || has == pid ? 0 : E_BUSY;
}

s64 trace_reader_take(bool on)
{
    u32 pid = caller();
    if (on)
        return change(0, pid) ? 0 : trace_reader_check();
    change(pid, 0);
    return 0;
}

static void reader_ends(struct process *process)
{
    change(process_pid(process), 0);
}
PROCESS_END_HOOK(reader_ends);
