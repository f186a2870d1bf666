// SPDX-License-Identifier: MIT
// Programs: from nothing, or by changing those that have reached new code.
#include "supervisor.h"

#include <string.h>

#define NEW_STEPS 24
#define CHANGES 6
#define METHOD_FIELDS 8

static u32
    sums[FUZZ_SERVERS + 1]
        [FUZZ_CALLS]; // of weights up to each call: of the servers' methods, and of all others
static bool ready;

static u32 group_of(const struct fuzz_call *call)
{
    return call->kind == FUZZ_KIND_METHOD ? call->server : FUZZ_SERVERS;
}

static void prepare(void)
{
    for (u32 group = 0; group <= FUZZ_SERVERS; group++) {
        u32 sum = 0;
        for (u32 i = 0; i < FUZZ_CALLS; i++) {
            if (group_of(&fuzz_calls[i]) == group)
                sum += fuzz_calls[i].weight;
            sums[group][i] = sum;
        }
    }
    ready = true;
}

static u32 any_call(void)
{
    bool method = random_percent(options.methods);
    u32 group = method ? (u32)random_below(FUZZ_SERVERS) : FUZZ_SERVERS;
    u32 call = 0;

    if (!ready)
        prepare();
    u64 at = random_below(sums[group][FUZZ_CALLS - 1]);
    while (sums[group][call] <= at)
        call++;
    return call;
}

static const struct fuzz_struct *structure_of(const struct fuzz_call *call)
{
    for (u32 i = 0; i < call->parameters; i++) {
        if (call->parameter[i].structure != 0)
            return &fuzz_structs[call->parameter[i].structure];
    }
    return &fuzz_structs[0];
}

static void fill_fields(struct fuzz_step *step, const struct fuzz_call *call)
{
    const struct fuzz_struct *structure = structure_of(call);

    memset(step->fields, 0, sizeof(step->fields));
    for (u32 i = 0; i < structure->fields; i++)
        step->fields[i] = value_of_meaning(structure->field[i].meaning);
    if (call->kind == FUZZ_KIND_METHOD && random_percent(12))
        step->fields[random_below(METHOD_FIELDS)] = value_of_meaning(FUZZ_MEANS_NONE);
}

static u8 any_flags(void)
{
    u8 flags = random_percent(25) ? FUZZ_ENABLED : 0;

    if (random_below(2000) == 0)
        flags |= FUZZ_ETERNAL;
    return random_percent(5) ? flags | FUZZ_HASTY : flags;
}

void step_fill(struct fuzz_step *step, u32 index)
{
    const struct fuzz_call *call = &fuzz_calls[index];

    *step = (struct fuzz_step){.call = (u16)index, .flags = any_flags()};
    values_begin();
    for (u32 i = 0; i < call->parameters; i++)
        step->arguments[i] = value_for(&call->parameter[i]);
    fill_fields(step, call);
}

void program_make(struct fuzz_program *program)
{
    struct fuzz_program_page *first = fuzz_first(program);
    u32 threads = random_percent(25) ? 2 : 1;

    first->steps = (u32)(4 + random_below(NEW_STEPS));
    first->flags = (u32)random_below(8);
    for (u32 i = 0; i < first->steps; i++) {
        step_fill(fuzz_step_of(program, i), any_call());
        fuzz_step_of(program, i)->thread = (u8)random_below(threads);
    }
}

// ---- changes -----------------------------------------------------------------------------------

// Results are named by step: those behind a place where steps come or go move with them.
static void move_results(struct fuzz_value *values, u32 count, u32 from, s32 by)
{
    for (u32 i = 0; i < count; i++) {
        if (values[i].mode == FUZZ_RESULT && values[i].literal >= from)
            values[i].literal = (values[i].literal + (u64)(s64)by) % FUZZ_STEPS;
    }
}

static void move_all_results(struct fuzz_program *program, u32 from, s32 by)
{
    for (u32 i = 0; i < fuzz_first(program)->steps; i++) {
        struct fuzz_step *step = fuzz_step_of(program, i);
        move_results(step->arguments, FUZZ_ARGUMENTS, from, by);
        move_results(step->fields, FUZZ_FIELDS, from, by);
    }
}

// Room for a step; NULL: the program is full.
static struct fuzz_step *insert(struct fuzz_program *program, u32 at)
{
    struct fuzz_program_page *first = fuzz_first(program);

    if (first->steps >= FUZZ_STEPS)
        return NULL;
    move_all_results(program, at, 1);
    for (u32 i = first->steps; i > at; i--)
        *fuzz_step_of(program, i) = *fuzz_step_of(program, i - 1);
    first->steps++;
    return fuzz_step_of(program, at);
}

static void take_out(struct fuzz_program *program, u32 at)
{
    struct fuzz_program_page *first = fuzz_first(program);

    if (first->steps <= 1)
        return;
    for (u32 i = at; i + 1 < first->steps; i++)
        *fuzz_step_of(program, i) = *fuzz_step_of(program, i + 1);
    first->steps--;
    move_all_results(program, at + 1, -1);
}

static void change_value(struct fuzz_value *value, const struct fuzz_value *fresh)
{
    static const s32 deltas[] = {1, -1, 8, -8, 0x1000, -0x1000, 0x10000, 3};

    if (random_percent(35)) {
        s32 delta = deltas[random_below(ARRAY_SIZE(deltas))];
        if (value->mode == FUZZ_LITERAL)
            value->literal += (u64)(s64)delta;
        else
            value->delta += value->mode == FUZZ_DATA ? 0 : delta;
    } else {
        *value = *fresh;
    }
}

static void change_argument(struct fuzz_step *step)
{
    const struct fuzz_call *call = &fuzz_calls[step->call];
    const struct fuzz_struct *structure = structure_of(call);
    u32 values = call->parameters + structure->fields;

    if (values == 0)
        return;
    u32 which = (u32)random_below(values);
    if (which < call->parameters) {
        struct fuzz_value fresh = value_for(&call->parameter[which]);
        change_value(&step->arguments[which], &fresh);
    } else {
        u32 field = which - call->parameters;
        struct fuzz_value fresh = value_of_meaning(structure->field[field].meaning);
        change_value(&step->fields[field], &fresh);
    }
}

static void splice(struct fuzz_program *program, const struct fuzz_program *other)
{
    struct fuzz_program *from = (struct fuzz_program *)(uintptr_t)other;
    u32 steps = fuzz_first(from)->steps, begin = (u32)random_below(steps);
    u32 at = (u32)random_below(fuzz_first(program)->steps + 1);

    for (u32 i = begin; i < steps; i++) {
        struct fuzz_step *step = insert(program, at + i - begin);
        if (step == NULL)
            break;
        *step = *fuzz_step_of(from, i);
    }
}

static void change(struct fuzz_program *program, const struct fuzz_program *other)
{
    struct fuzz_program_page *first = fuzz_first(program);
    u32 at = (u32)random_below(first->steps);
    struct fuzz_step *step = fuzz_step_of(program, at);

    switch (random_below(16)) {
    case 0:
    case 1:
    case 2:
        step = insert(program, at);
        if (step != NULL)
            step_fill(step, any_call());
        break;
    case 3:
        take_out(program, at);
        break;
    case 4:
        step_fill(step, step->call);
        break;
    case 5:
        step->thread = (u8)random_below(2);
        break;
    case 6:
        step->flags = any_flags();
        break;
    case 7: {
        struct fuzz_step copy = *step;
        step = insert(program, at);
        if (step != NULL)
            *step = copy;
        break;
    }
    case 8:
        splice(program, other);
        break;
    case 9:
        first->flags = (u32)random_below(8);
        break;
    default:
        change_argument(step);
    }
}

void program_mutate(struct fuzz_program *program, const struct fuzz_program *other)
{
    u64 changes = 1 + random_below(CHANGES);

    for (u64 i = 0; i < changes; i++)
        change(program, other);
}
