// SPDX-License-Identifier: MIT
// Every way out of a scope that holds something, told by what is given back and when.
// test_lowering.py compares what the compiler makes of it with what lower.py does.
#include <stdio.h>

#define HELD(type) __attribute__((cleanup(type##_put_held)))

static int taken;

static int take(void)
{
    return ++taken;
}

static void thing_put_held(int *thing)
{
    if (*thing != 0)
        printf(" put %d", *thing);
}

struct pair {
    int first, second;
};

static int value_before_release(int argument)
{
    HELD(thing) int thing = take();

    return thing + argument;
}

static int several_exits(int argument)
{
    HELD(thing) int outer = take();

    if (argument == 0)
        return outer;
    if (argument == 1) {
        HELD(thing) int inner = take();
        if (inner > 1000)
            return -1;
        return outer * 100 + inner;
    }
    HELD(thing)
    int late = take();
    return argument == 2 ? late : -late;
}

static void no_value(int argument)
{
    HELD(thing) int thing = take();

    if (argument == 0)
        return;
    printf(" end");
}

static int loops(int turns)
{
    int sum = 0;

    for (int i = 0; i < turns; i++) {
        HELD(thing) int thing = take();
        if (i == 1)
            continue;
        if (i == 3)
            break;
        for (int j = 0; j < 2; j++) {
            HELD(thing) int inner = take();
            if (j == 1)
                break;
            sum += inner;
        }
        while (sum > 1000)
            sum -= 1;
        sum += thing;
    }
    do {
        HELD(thing) int thing = take();
        sum += thing;
    } while (sum < 0);
    return sum;
}

static int switches(int argument)
{
    int result = 0;

    switch (argument) {
    case 0: {
        HELD(thing) int thing = take();
        result = thing;
        break;
    }
    case 1: {
        HELD(thing) int thing = take();
        return thing;
    }
    default:
        break;
    }
    return result;
}

// A structure by value, made of what is given back.
static struct pair structures(int argument)
{
    HELD(thing) int thing = argument != 0 ? take() : 0;

    return (struct pair){.first = thing, .second = argument};
}

// Taken over by somebody else: nothing to give back.
static int taken_over(void)
{
    HELD(thing) int thing = take();
    int mine = thing;

    thing = 0;
    return mine;
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        printf("%d:", i);
        printf(" value %d", value_before_release(i));
        printf(" exits %d", several_exits(i));
        no_value(i);
        printf(" loops %d", loops(i));
        printf(" switches %d", switches(i));
        struct pair pair = structures(i);
        printf(" pair %d %d", pair.first, pair.second);
        printf(" over %d\n", taken_over());
    }
    return 0;
}
