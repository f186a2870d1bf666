// SPDX-License-Identifier: MIT
// Values for parameters: most often what makes sense for their meaning, sometimes anything.
#include "supervisor.h"

#define SENSIBLE_PERCENT 82
#define CAREFUL_PERCENT 50

static bool careful;

void values_begin(void)
{
    careful = random_percent(CAREFUL_PERCENT);
}

static const u64 odd[] = {
    0,
    1,
    2,
    7,
    8,
    0xfff,
    0x1000,
    0x1001,
    0xffff,
    0x10000,
    0x10001,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    UINT64_MAX,
    UINT64_MAX - 7,
    UINT64_MAX - 4095,
    0xc000000000000000,
    0xc000000000c00000,
    0x1fffffffffff,
    0x200000000000,
    0xff000000000,
    0x0a0a0a0a0a0a0a0a,
};

static struct fuzz_value literal(u64 number)
{
    return (struct fuzz_value){.mode = FUZZ_LITERAL, .literal = number};
}

static struct fuzz_value odd_value(void)
{
    switch (random_below(8)) {
    case 0:
        return literal(random_next() >> random_below(64));
    case 1:
        return (struct fuzz_value){
            .mode = FUZZ_POOL, .which = (u8)random_below(FUZZ_POOLS), .literal = random_below(4)};
    case 2:
        return (struct fuzz_value){.mode = FUZZ_PLACE,
                                   .which = (u8)random_below(FUZZ_PLACES),
                                   .delta = (s32)random_below(17) - 8};
    case 3:
        return (struct fuzz_value){.mode = FUZZ_DATA,
                                   .which = (u8)random_below(FUZZ_PLACEMENTS),
                                   .literal = random_next()};
    case 4:
        return (struct fuzz_value){.mode = FUZZ_RESULT, .literal = random_below(FUZZ_STEPS)};
    case 5:
        return (struct fuzz_value){.mode = FUZZ_EVENT, .which = (u8)random_below(10)};
    default:
        return literal(odd[random_below(ARRAY_SIZE(odd))]);
    }
}

struct fuzz_value value_of_meaning(u32 meaning)
{
    const struct fuzz_choices *choices = &fuzz_choices[meaning];

    if (meaning == FUZZ_MEANS_NONE || choices->count == 0 ||
        (!careful && !random_percent(SENSIBLE_PERCENT)))
        return odd_value();
    u64 choice = random_below(choices->count);
    if (careful)
        choice = random_below(choice + 1);
    return fuzz_choice[choices->first + choice];
}

// Memory: where, and sometimes how much and with what in it.
static struct fuzz_value pointer(void)
{
    struct fuzz_value value = {.mode = FUZZ_DATA};

    if (random_percent(30))
        value.which = (u8)random_below(FUZZ_PLACEMENTS);
    if (random_percent(30))
        value.literal = random_next();
    return value;
}

static struct fuzz_value sized_pointer(u32 maximum)
{
    struct fuzz_value value = pointer();
    const u32 sizes[] = {1, 8, 16, 100, maximum / 2, maximum - 1, maximum, maximum + 1};

    value.delta = (s32)sizes[random_below(ARRAY_SIZE(sizes))];
    return value;
}

struct fuzz_value value_for(const struct fuzz_parameter *parameter)
{
    switch (parameter->kind) {
    case FUZZ_PARAMETER_IN:
    case FUZZ_PARAMETER_OUT:
    case FUZZ_PARAMETER_INOUT:
    case FUZZ_PARAMETER_BYTES_IN:
    case FUZZ_PARAMETER_BYTES_OUT:
        return random_percent(95) ? pointer() : odd_value();
    case FUZZ_PARAMETER_METHOD_BYTES:
        return sized_pointer(parameter->maximum);
    case FUZZ_PARAMETER_METHOD_ROOM:
        return random_percent(60) ? literal(0) : value_of_meaning(parameter->meaning);
    case FUZZ_PARAMETER_STRING:
        return random_percent(90) ? value_of_meaning(parameter->meaning) : pointer();
    default:
        return value_of_meaning(parameter->meaning);
    }
}
