// SPDX-License-Identifier: MIT
// Asks the libraries of processes to log, and for their packets.
#include "user/recording.h"

#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>

#define PACKETS_MAX 64 // of a stream at once: who logs all the time is not waited for

// Gives a process the mask that processes start with, as it is now: somebody else may have set it
// meanwhile. Returns whether the process did not answer.
static bool is_mute(u32 pid, u32 mode)
{
    s64 mask = sys_trace_process_mask();
    struct sys_inspect_request request = {
        .pid = pid, .operation = INSPECT_TRACE_MASK, .arguments = {mask < 0 ? 0 : (u64)mask, mode}};
    u64 nothing;
    s64 error = sys_process_inspect(&request, &nothing, sizeof(nothing));

    // It has no library, or it has ended meanwhile.
    return error != 0 && error != E_NOTSUP && error != E_NOENT && error != E_PEER;
}

u32 recording_tell_processes(u32 mode)
{
    struct sys_process_info info;
    u32 self = (u32)sys_process_pid(0), mute = 0;
    u64 cursor = 0;

    while (sys_process_list(&cursor, &info, sizeof(info)) > 0)
        if (info.pid != self && info.state == PROCESS_LIVE)
            mute += is_mute(info.pid, mode);
    return mute;
}

static bool read_stream(u32 pid, u32 cpu, bool flush, struct trace_packet *packet,
                        bool (*take)(const struct trace_packet *packet, u64 bytes))
{
    for (u32 i = 0; i < PACKETS_MAX; i++) {
        s64 bytes = sys_trace_read_process(pid, cpu, flush, packet, TRACE_SUBBUFFER_SIZE);
        if (bytes <= 0)
            break; // there is none, or the process does not answer
        if (!take(packet, (u64)bytes))
            return false;
    }
    return true;
}

void recording_read_processes(bool flush, struct trace_packet *packet,
                              bool (*take)(const struct trace_packet *packet, u64 bytes))
{
    struct sys_trace_process process;
    u32 self = (u32)sys_process_pid(0);
    u64 cursor = 0;
    bool room = true;

    while (room && sys_trace_process_list(&cursor, &process, sizeof(process)) > 0) {
        u32 mask = flush ? process.cpu_mask : process.full_mask;
        for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && room; cpu++)
            if ((mask >> cpu & 1) != 0 && process.pid != self)
                room = read_stream(process.pid, cpu, flush, packet, take);
    }
}
