// SPDX-License-Identifier: MIT
// The multiplication: each thread makes the next one while work is left, then does its share.
#include "matmul.h"

#include <stdio.h>
#include <stdlib.h>
#include <user/thread.h>

static struct product *work;
static struct thread *threads[MULTIPLIERS];

s64 product_make(struct product *product, u64 size)
{
    u64 bytes = size * size * sizeof(u64);
    *product = (struct product){size, malloc(bytes), malloc(bytes), malloc(bytes)};
    return product->left && product->right && product->result ? 0 : E_NOMEM;
}

// SplitMix64 (Steele, Lea, Flood 2014).
static u64 chance(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void product_fill(struct product *product, u64 row, u64 rows)
{
    u64 from = row * product->size, state = from;
    for (u64 i = from; i < from + rows * product->size; i++) {
        product->left[i] = chance(&state);
        product->right[i] = chance(&state);
    }
}

static void multiply_row(const struct product *product, u64 row)
{
    u64 size = product->size, *to = product->result + row * size;
    for (u64 column = 0; column < size; column++)
        to[column] = 0;
    for (u64 k = 0; k < size; k++) {
        const u64 factor = product->left[row * size + k], *from = product->right + k * size;
        for (u64 column = 0; column < size; column++)
            to[column] += factor * from[column];
    }
}

static s64 multiply(void *argument);

static s64 start(u64 number)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    char name[24];
    snprintf(name, sizeof(name), "mult%lu", number + 1);
    attributes.name = name;
    return thread_create(&threads[number], &attributes, multiply, (void *)number);
}

static s64 multiply(void *argument)
{
    u64 number = (u64)argument, size = work->size;
    s64 error = number + 1 < MULTIPLIERS ? start(number + 1) : 0;
    for (u64 row = number * size / MULTIPLIERS; row < (number + 1) * size / MULTIPLIERS; row++)
        multiply_row(work, row);
    return error;
}

s64 product_multiply(struct product *product)
{
    work = product;
    s64 error = start(0);
    // A thread that has ended has made the next one, if it could.
    for (u32 i = 0; i < MULTIPLIERS && error == 0; i++) {
        s64 joined = thread_join(threads[i], &error);
        error = joined != 0 ? joined : error;
    }
    return error;
}

static void apply(const u64 *matrix, u64 size, const u64 *from, u64 *to)
{
    for (u64 row = 0; row < size; row++) {
        to[row] = 0;
        for (u64 column = 0; column < size; column++)
            to[row] += matrix[row * size + column] * from[column];
    }
}

bool product_is_right(const struct product *product)
{
    static u64 vector[SIZE_MAX_ROWS], half[SIZE_MAX_ROWS], expected[SIZE_MAX_ROWS],
        got[SIZE_MAX_ROWS];
    u64 state = (u64)product->result, size = product->size;
    for (u64 i = 0; i < size; i++)
        vector[i] = chance(&state);
    apply(product->right, size, vector, half);
    apply(product->left, size, half, expected);
    apply(product->result, size, vector, got);
    for (u64 i = 0; i < size; i++) {
        if (got[i] != expected[i])
            return false;
    }
    return true;
}
