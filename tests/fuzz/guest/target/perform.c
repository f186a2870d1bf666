// SPDX-License-Identifier: MIT
// System calls of a program: arguments, the call, and what it gave.
#include "target.h"

#include <orrery/memory.h>
#include <syscalls/numbers.h>

#define PATIENCE_US 300 // of what may block

static bool is_pointer(const struct fuzz_parameter *parameter)
{
    return parameter->kind >= FUZZ_PARAMETER_IN && parameter->kind <= FUZZ_PARAMETER_STRING;
}

// The fields of a struct behind a pointer, as far as they can be written.
static void write_fields(struct thread *self, const struct fuzz_struct *structure,
                         const struct fuzz_step *step, u8 *to)
{
    for (u32 i = 0; i < structure->fields; i++) {
        const struct fuzz_field *field = &structure->field[i];
        u64 value = value_of(self, &step->fields[i], 16);
        if (field->is_text && step->fields[i].mode == FUZZ_TEXT) {
            const char *text = (const char *)value;
            for (u32 j = 0; j < field->bytes; j++)
                to[field->offset + j] = *text != 0 ? (u8)*text++ : 0;
        } else if (!field->is_text) {
            copy(to + field->offset, (u8 *)&value + 8 - field->bytes, field->bytes);
        }
    }
}

// A struct: made in memory of the target's own, then put where the program wants it, unless that
// would fault.
static u64 struct_argument(struct thread *self, const struct fuzz_parameter *parameter,
                           const struct fuzz_step *step, const struct fuzz_value *value)
{
    const struct fuzz_struct *structure = &fuzz_structs[parameter->structure];
    u64 made[160] = {0};
    u64 bytes = structure->bytes < sizeof(made) ? structure->bytes : sizeof(made);
    u64 address = value_of(self, value, structure->bytes);

    if (value->mode != FUZZ_DATA || parameter->kind == FUZZ_PARAMETER_OUT)
        return address;
    write_fields(self, structure, step, (u8 *)made);
    for (u64 i = 0; i < bytes; i++) {
        u64 at = address + i;
        if ((at >= AREA && at < AREA + AREA_PAGES * FUZZ_PAGE) ||
            (at >= AREA_OTHER && at < AREA_READ_ONLY))
            *(u8 *)at = ((u8 *)made)[i];
    }
    return address;
}

static u64 pointer_bytes(const struct fuzz_parameter *parameter, const u64 *registers)
{
    if (parameter->length < 0)
        return parameter->maximum;
    return registers[1 + parameter->length];
}

static void arguments(struct thread *self, const struct fuzz_call *call,
                      const struct fuzz_step *step, u64 registers[RAW_REGISTERS])
{
    for (u32 i = 0; i < call->parameters; i++) {
        if (!is_pointer(&call->parameter[i]))
            registers[1 + i] = value_of(self, &step->arguments[i], FUZZ_PAGE);
    }
    for (u32 i = 0; i < call->parameters; i++) {
        const struct fuzz_parameter *parameter = &call->parameter[i];
        if (parameter->structure != 0)
            registers[1 + i] = struct_argument(self, parameter, step, &step->arguments[i]);
        else if (is_pointer(parameter))
            registers[1 + i] =
                value_of(self, &step->arguments[i], pointer_bytes(parameter, registers));
    }
}

// ---- resume ------------------------------------------------------------------------------------

// A state that leads back here: the context's, with everything else spoilt.
static void write_state(struct thread *self, u64 address)
{
    struct user_state *to = (struct user_state *)address;

    if (address < AREA || address + sizeof(*to) > AREA + AREA_PAGES * FUZZ_PAGE)
        return;
    for (u32 i = 0; i < 32; i++)
        to->gpr[i] = 0x5a5a5a5a5a5a5a5aUL + i;
    to->gpr[3] = (u64)self->context;
    to->gpr[13] = window();
    to->pc = descriptor(landing)[0];
    to->msr = now() % 2 != 0 ? UINT64_MAX : 0;
    to->lr = to->ctr = to->xer = to->cr = UINT64_MAX;
}

static void resume(struct thread *self, u64 registers[RAW_REGISTERS])
{
    if (context_save(self->context) == 0) {
        self->guarded = true;
        write_state(self, registers[1]);
        raw_call(registers);
    } else {
        registers[1] = 0;
    }
    self->guarded = false;
}

// ---- the call ----------------------------------------------------------------------------------

static bool may_block(u64 number)
{
    return number == SYS_WAIT || number == SYS_CALL || number == SYS_REPLY_WAIT;
}

static bool gives_event(u64 number)
{
    return may_block(number) || number == SYS_POLL;
}

static void make(struct thread *self, const struct fuzz_step *step, u64 registers[RAW_REGISTERS])
{
    u64 number = registers[0];

    if (may_block(number) && !(step->flags & FUZZ_ETERNAL))
        event_timer(PATIENCE_US);
    if (number == SYS_RESUME)
        resume(self, registers);
    else if (step->flags & FUZZ_ENABLED && !gives_event(number)) {
        page()->disabled = 0;
        raw_call(registers);
        page()->disabled = 1;
    } else {
        raw_call(registers);
    }
    page()->disabled = 1;
}

static void note_result(const struct fuzz_call *call, s64 result,
                        const u64 registers[RAW_REGISTERS])
{
    if (result < 0)
        return;
    pool_add(call->makes, (u64)result);
    if (call->makes <= FUZZ_POOL_FILE)
        pool_add(FUZZ_POOL_ANY, (u64)result);
    if (call->number == SYS_PROCESS_CREATE) {
        u64 pid_of[RAW_REGISTERS] = {SYS_PROCESS_PID, (u64)result};
        raw_call(pid_of);
        pool_add(FUZZ_POOL_CHILD, pid_of[1]);
    }
    if (call->number == SYS_REGION_CREATE && registers[1] == 0)
        pool_add(FUZZ_POOL_REGION, ((struct sys_region *)AREA)->address);
}

// How a call that gives an event went.
static s64 event_result(struct thread *self, const u64 registers[RAW_REGISTERS])
{
    struct event event;

    copy(&event, &registers[1], sizeof(event));
    if ((s64)event.type < 0)
        return (s64)event.type; // of those that give an event only when disabled
    event_note(self, &event);
    event_serve(self, &event);
    return event.type == EVENT_REPLY ? (s64)event.badge : 0;
}

// ---- leaks -------------------------------------------------------------------------------------

static bool has_junk(u64 address, u64 bytes)
{
    u64 end = AREA + AREA_PAGES * FUZZ_PAGE;

    if (address < AREA || address >= end)
        return false;
    for (u64 at = ALIGN_UP(address, 8UL); at + 8 <= end && at + 8 <= address + bytes; at += 8) {
        if (*(const u64 *)at == FUZZ_JUNK)
            return true;
    }
    return false;
}

// What the kernel gives must not be what it has freed.
static void look_for_junk(const struct fuzz_call *call, const struct fuzz_step *step,
                          const u64 registers[RAW_REGISTERS])
{
    for (u32 i = 0; i < call->parameters; i++) {
        const struct fuzz_parameter *parameter = &call->parameter[i];
        bool given = parameter->kind == FUZZ_PARAMETER_OUT ||
                     parameter->kind == FUZZ_PARAMETER_INOUT ||
                     parameter->kind == FUZZ_PARAMETER_BYTES_OUT;
        u64 bytes = parameter->structure != 0 ? fuzz_structs[parameter->structure].bytes
                                              : pointer_bytes(parameter, registers);
        if (given && has_junk(registers[1 + i], bytes))
            state()->leak = FUZZ_LEAK + step->call;
    }
}

static s64 system_call(struct thread *self, const struct fuzz_call *call,
                       const struct fuzz_step *step)
{
    u64 registers[RAW_REGISTERS] = {call->number};

    arguments(self, call, step, registers);
    u64 before[RAW_REGISTERS];
    copy(before, registers, sizeof(before));
    u64 process = registers[1];
    if (excluded(registers))
        return INT64_MIN;
    make(self, step, registers);
    if (gives_event(call->number))
        return event_result(self, registers);
    look_for_junk(call, step, before);
    registers[2] = registers[1];
    registers[1] = process;
    note_result(call, (s64)registers[2], registers);
    return (s64)registers[2];
}

s64 perform(struct thread *self, const struct fuzz_program *program, const struct fuzz_step *step)
{
    const struct fuzz_call *call = &fuzz_calls[step->call];
    (void)program;

    switch (call->kind) {
    case FUZZ_KIND_METHOD:
        return perform_method(self, call, step);
    case FUZZ_KIND_OWN:
        return perform_own(self, call, step);
    default:
        return system_call(self, call, step);
    }
}
