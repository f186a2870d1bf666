// SPDX-License-Identifier: MIT
// The made-up machine's processes, what they answer the monitor, and programs and console.
#include "machine.h"

#include "kick.h"
#include "programs.h"
#include "questions.h"
#include "registry.h"
#include "serve.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/user.h>
#include <stdio.h>
#include <string.h>

struct machine_process *machine_process(u32 pid)
{
    for (u32 i = 0; i < MACHINE_PROCESSES; i++)
        if (pid != 0 && machine.processes[i].pid == pid)
            return &machine.processes[i];
    return NULL;
}

// The process of the smallest pid beyond a cursor.
static struct machine_process *process_after(u64 cursor)
{
    struct machine_process *found = NULL;

    for (u32 i = 0; i < MACHINE_PROCESSES; i++) {
        struct machine_process *process = &machine.processes[i];
        if (process->pid > cursor && (found == NULL || process->pid < found->pid))
            found = process;
    }
    return found;
}

s64 sys_process_list(u64 *cursor, void *buffer, u64 bytes)
{
    struct sys_process_info *infos = buffer;
    struct machine_process *process;
    u64 count = 0;

    while ((count + 1) * sizeof(*infos) <= bytes && (process = process_after(*cursor)) != NULL) {
        infos[count] = (struct sys_process_info){
            .pid = process->pid,
            .parent = process->pid - 1,
            .state = PROCESS_LIVE,
            .priority = PROCESS_NORMAL,
            .dispatchers = 3,
            .object = 0x20000 + process->pid * 16,
            .cpu_ticks = process->pid * 1000,
            .memory_pages = 7,
        };
        snprintf(infos[count].name, sizeof(infos[count].name), "program\xff%u", process->pid);
        *cursor = process->pid;
        count++;
    }
    return (s64)(count * sizeof(*infos));
}

s64 sys_region_list(u32 pid, u64 *cursor, void *buffer, u64 bytes)
{
    if (machine_process(pid) == NULL)
        return E_NOENT;
    if (*cursor > 0 || bytes < sizeof(struct sys_region_info))
        return 0;
    *(struct sys_region_info *)buffer = (struct sys_region_info){.address = USER_IMAGE,
                                                                 .bytes = 0x3000,
                                                                 .kind = REGION_PRIVATE,
                                                                 .prot = PROT_R | PROT_X,
                                                                 .resident_pages = 2,
                                                                 .region = 0x1230,
                                                                 .memory = 0x1240,
                                                                 .name = "bin/shell"};
    *cursor = 1;
    return sizeof(struct sys_region_info);
}

s64 sys_process_kill(u32 pid, s32 status)
{
    struct machine_process *process = machine_process(pid);

    if (process == NULL)
        return E_NOENT;
    *process = (struct machine_process){.status = status};
    return 0;
}

// ---- the inspection's questions
// -------------------------------------------------------------------

static s64 scan(struct sys_inspect_request *request, void *buffer, u32 objects)
{
    u64 cursor = request->arguments[0];
    u64 count = 0;
    struct sys_object *records = buffer;

    for (; cursor < objects && (count + 1) * sizeof(*records) <= request->arguments[1]; cursor++)
        records[count++] = (struct sys_object){.record_bytes = sizeof(*records),
                                               .class_id = 1,
                                               .coid = 0x10000 + cursor * 16,
                                               .rep_count = 1};
    request->results[0] = cursor;
    return (s64)(count * sizeof(*records));
}

static s64 dref(struct sys_inspect_request *request, void *buffer,
                const struct machine_process *process)
{
    if (request->arguments[0] > 0 || process->dref == 0)
        return 0;
    *(struct sys_dref_count *)buffer =
        (struct sys_dref_count){.coid = 0x10000, .invocations = process->pid};
    request->results[0] = 1;
    return sizeof(struct sys_dref_count);
}

static s64 classes(struct sys_inspect_request *request, void *buffer,
                   const struct machine_process *process)
{
    struct sys_class *to = buffer;
    u64 cursor = request->arguments[0], count = 0;

    for (; cursor < process->classes && (count + 1) * sizeof(*to) <= request->arguments[1];
         cursor++) {
        to[count] = (struct sys_class){.class_id = (u32)cursor, .live = process->objects};
        snprintf(to[count++].name, sizeof(to->name), "Of%u", process->pid);
    }
    request->results[0] = cursor;
    request->results[1] = cursor == process->classes;
    return (s64)(count * sizeof(*to));
}

static s64 trace_stat(u32 cpu, void *buffer, const struct machine_process *process)
{
    if (cpu >= MACHINE_CPUS)
        return E_NOENT;
    *(struct sys_trace_stat *)buffer =
        (struct sys_trace_stat){.events = process->packets_read[cpu], .mode = process->mode};
    return sizeof(struct sys_trace_stat);
}

#define RECORDS_A_READ 100

// An object 0x20000 and its records, 100 of them at most.
static s64 read_log(struct sys_inspect_request *request, void *buffer,
                    struct machine_process *process)
{
    struct sys_blocked_log *head = buffer;
    struct sys_blocked_record *records = (struct sys_blocked_record *)(head + 1);
    u32 count = process->records < RECORDS_A_READ ? process->records : RECORDS_A_READ;

    if (request->arguments[0] == 1 || process->logging == SYS_BLOCKED_OFF)
        return 0;
    *head = (struct sys_blocked_log){.coid = 0x20000,
                                     .logged = process->pid * 1000,
                                     .lost = 5,
                                     .buffer_bytes = 0x3000,
                                     .count = process->nonsense ? UINT32_MAX : count};
    for (u32 i = 0; i < count; i++)
        records[i] = (struct sys_blocked_record){.time = machine.time - --process->records,
                                                 .queue = UINT64_MAX,
                                                 .thread = UINT32_MAX,
                                                 .length = UINT32_MAX,
                                                 .operation = SYS_BLOCKED_WAKEUP,
                                                 .lost = UINT32_MAX};
    request->results[0] = process->records == 0;
    return (s64)(sizeof(*head) + count * sizeof(*records));
}

static s64 switch_log(struct sys_inspect_request *request, struct machine_process *process)
{
    if (request->arguments[0] != 0 && request->arguments[0] != 0x20000)
        return E_NOENT;
    process->logged_object = request->arguments[0];
    process->logging = (u32)request->arguments[1];
    return 1;
}

static s64 read_packet(struct machine_process *process, struct sys_inspect_request *request,
                       void *buffer);

static s64 answer_of(struct machine_process *process, struct sys_inspect_request *request,
                     void *buffer)
{
    if (process->lie != NULL)
        return process->lie(process, request, buffer);
    switch (request->operation) {
    case INSPECT_SCAN:
        return scan(request, buffer, process->objects);
    case INSPECT_CLASS:
        return classes(request, buffer, process);
    case INSPECT_DREF_ENABLE:
        process->dref += request->arguments[0] ? 1 : -1;
        return 0;
    case INSPECT_DREF_READ:
        return dref(request, buffer, process);
    case INSPECT_TRACE_MASK:
        process->mask = request->arguments[0];
        if (request->arguments[1] != 0)
            process->mode = (u32)request->arguments[1];
        return 0;
    case INSPECT_TRACE_STAT:
        return trace_stat((u32)request->arguments[0], buffer, process);
    case INSPECT_BLOCKED_LOG:
        return switch_log(request, process);
    case INSPECT_BLOCKED_READ:
        return read_log(request, buffer, process);
    case INSPECT_TRACE_READ:
        return read_packet(process, request, buffer);
    case INSPECT_MOVE:
        process->cpu = (u32)request->arguments[0];
        return 0;
    default:
        return E_NOTSUP;
    }
}

static _Alignas(8) u8 monitor_buffers[MACHINE_PROCESSES][INSPECT_BYTES];

static u8 *buffer_of(const struct machine_process *process)
{
    return monitor_buffers[process - machine.processes];
}

s64 sys_inspect_ask(const struct sys_inspect_question *question)
{
    static u64 last_number;
    struct machine_process *process = machine_process(question->pid);
    struct sys_inspect_request request = {.pid = question->pid, .operation = question->operation};

    if (question->patience_us < 1 || question->patience_us > 1000000)
        return E_INVAL;
    if (process == NULL)
        return E_NOENT;
    if (process->mute)
        return E_NOTSUP;
    if (process->open.number != 0)
        return E_BUSY;
    process->questions++;
    process->open.number = ++last_number;
    process->open.deadline = machine.time + question->patience_us;
    process->open.left = machine.patience;
    process->open.answered = false;
    if (process->stuck)
        return (s64)last_number;
    memcpy(request.arguments, question->arguments, sizeof(request.arguments));
    s64 status = answer_of(process, &request, buffer_of(process));
    process->open.answered = true;
    process->open.answer =
        (struct sys_inspect_answer){status, {request.results[0], request.results[1]}, machine.time};
    return (s64)last_number;
}

s64 sys_inspect_poll(u32 pid, u64 question)
{
    struct machine_process *process = machine_process(pid);

    if (process == NULL || process->open.number != question)
        return process == NULL ? 0 : E_NOENT;
    if (process->open.left == 0)
        return 0;
    process->open.left--;
    return E_AGAIN;
}

// Who waits for a process that is stuck waits until its time is over.
s64 sys_inspect_answer(u32 pid, u64 question, struct sys_inspect_answer *answer, void *buffer,
                       u64 bytes)
{
    struct machine_process *process = machine_process(pid);

    if (process == NULL)
        return E_PEER;
    if (process->open.number != question)
        return E_NOENT;
    process->open.number = 0;
    if (!process->open.answered) {
        if (machine.time < process->open.deadline)
            machine.time = process->open.deadline;
        return E_TIMEOUT;
    }
    *answer = process->open.answer;
    if (answer->status <= 0)
        return 0;
    u64 count = (u64)answer->status < bytes ? (u64)answer->status : bytes;
    memcpy(buffer, buffer_of(process), count < INSPECT_BYTES ? count : INSPECT_BYTES);
    return (s64)count;
}

bool machine_is_asked(void)
{
    for (u32 i = 0; i < MACHINE_PROCESSES; i++)
        if (machine.processes[i].pid != 0 && machine.processes[i].open.number != 0)
            return true;
    return false;
}

static u64 printed_end(void)
{
    return machine.printed_from + strlen(machine.printed);
}

static bool has_printed(void)
{
    return machine.output_awaited && printed_end() > machine.awaited_from;
}

u64 kick_bits(enum kick kick)
{
    return 1UL << kick;
}

// Of answers always: they are looked for. Of output as the kernel does: once, if it was asked for.
bool kick_come(enum kick kick)
{
    bool come = kick == KICK_ANSWER || has_printed();

    machine.output_awaited &= kick != KICK_OUTPUT || !come;
    return come;
}

bool kick_waits(void)
{
    return has_printed();
}

s64 sys_trace_set_process_mask(u64 mask)
{
    machine.process_mask = mask;
    return 0;
}

s64 sys_trace_process_mask(void)
{
    return (s64)machine.process_mask;
}

s64 sys_dref_set_processes(bool on)
{
    machine.dref_processes = on;
    return 0;
}

s64 sys_trace_process_list(u64 *cursor, void *buffer, u64 bytes)
{
    struct machine_process *process = process_after(*cursor);

    if (process == NULL || bytes < sizeof(struct sys_trace_process))
        return 0;
    u32 full = (u32)(process->packets[0] != 0) | (u32)(process->packets[1] != 0) << 1;
    *(struct sys_trace_process *)buffer = (struct sys_trace_process){
        .pid = process->pid, .cpu_mask = 3, .live = 1, .full_mask = full};
    *cursor = process->pid;
    return sizeof(struct sys_trace_process);
}

static s64 read_packet(struct machine_process *process, struct sys_inspect_request *request,
                       void *buffer)
{
    u64 cpu = request->arguments[0];
    bool flush = request->arguments[1] != 0;

    request->results[1] = process->packets[cpu] <= (flush ? 0 : 1);
    if (process->packets[cpu] == 0 && flush && process->begun[cpu]) {
        process->begun[cpu] = false;
        process->packets[cpu] = 1;
    }
    process->begun[cpu] |= process->logs_answers;
    if (process->packets[cpu] == 0)
        return 0;
    process->packets[cpu]--;
    u64 word = machine_packet_word((u32)cpu, process->packets_read[cpu]++) | (u64)process->pid
                                                                                 << 32;
    memset(buffer, 0, PACKET_BYTES);
    memcpy(buffer, &word, sizeof(word));
    return PACKET_BYTES;
}

// Only of processes that have ended, and there are none in the list.
s64 sys_trace_read_process(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes)
{
    (void)pid, (void)cpu, (void)flush, (void)buffer, (void)bytes;
    return E_NOENT;
}

// ---- programs ----------------------------------------------------------------------------------

s64 program_open(struct program **program)
{
    if (machine.no_programs)
        return E_NOTSUP;
    for (u32 i = 0; i < MACHINE_PROGRAMS; i++)
        if (!machine.programs[i].used) {
            *program = &machine.programs[i];
            **program = (struct program){.used = true};
            machine.programs_open++;
            return 0;
        }
    return E_NOMEM;
}

s64 program_upload(struct program *program, const void *bytes, u64 count)
{
    if (count > 0 && memchr(bytes, 0xee, count) != NULL)
        return E_IO;
    program->uploaded += (u32)count;
    return 0;
}

s64 program_start(struct program *program, const char *path, u64 stack_bytes, u32 count,
                  const char *const arguments[])
{
    if (strcmp(path, "nonesuch") == 0)
        return E_NOENT;
    if (stack_bytes == 1)
        return E_LIMIT;
    program->stack_bytes = stack_bytes;
    snprintf(program->path, sizeof(program->path), "%.63s", path);
    snprintf(program->last_argument, sizeof(program->last_argument), "%s", arguments[count - 1]);
    program->arguments = count;
    program->running = true;
    return 40 + (program - machine.programs);
}

s64 program_read(struct program *program, void *buffer, u64 bytes)
{
    u64 count = program->output_bytes < bytes ? program->output_bytes : bytes;

    if (count == 0)
        return program->ended ? E_PEER : 0;
    memcpy(buffer, program->output, count);
    program->output_bytes -= (u32)count;
    memmove(program->output, program->output + count, program->output_bytes);
    return (s64)count;
}

s64 program_write(struct program *program, const void *bytes, u64 count)
{
    u64 room = sizeof(program->input) - program->input_bytes;
    u64 taken = count < room ? count : room;

    if (taken > 0)
        memcpy(program->input + program->input_bytes, bytes, taken);
    program->input_bytes += (u32)taken;
    return (s64)taken;
}

void program_end_input(struct program *program)
{
    program->input_ended = true;
}

bool program_ended(const struct program *program, s32 *status)
{
    *status = program->status;
    return program->ended;
}

void program_close(struct program *program)
{
    program->used = false;
    machine.programs_open--;
}

// ---- console -----------------------------------------------------------------------------------

s64 console_output(u64 *position, void *buffer, u64 bytes)
{
    u64 end = printed_end();

    machine.output_reads++;
    if (*position < machine.printed_from)
        *position = machine.printed_from;
    if (*position >= end)
        return 0;
    u64 count = end - *position < bytes ? end - *position : bytes;
    memcpy(buffer, machine.printed + (*position - machine.printed_from), count);
    return (s64)count;
}

s64 console_await(u64 position)
{
    if (machine.output_unheard)
        return E_LIMIT;
    machine.output_awaited = true;
    machine.awaited_from = position;
    return printed_end() > position;
}

s64 console_input(const void *bytes, u64 count)
{
    u64 room = sizeof(machine.typed) - 1 - strlen(machine.typed);
    u64 taken = count < room ? count : room;

    strncat(machine.typed, bytes, taken);
    return (s64)taken;
}

// ---- objects: none -----------------------------------------------------------------------------

static u64 (*server_round)(u64 until);
static bool (*client_turn)(struct client *client, u64 now);

void registry_start(u64 (*round)(u64 until), bool (*turn)(struct client *client, u64 now))
{
    server_round = round;
    client_turn = turn;
}

void registry_add(struct client *client)
{
    (void)client;
}

void registry_remove(struct client *client)
{
    (void)client;
}

u64 registry_round(u64 until)
{
    return server_round(until);
}

bool registry_work(struct client *client, u64 now)
{
    return client_turn(client, now);
}
