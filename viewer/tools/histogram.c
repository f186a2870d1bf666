// SPDX-License-Identifier: MIT
// How values are spread, in log-linear classes.
#include "tools/histogram.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_BITS 5 // of the value, after its first one bit
#define CLASSES (1u << CLASS_BITS)

static size_t class_of(u64 value)
{
    u32 shift = value < 2 * CLASSES ? 0 : 63 - CLASS_BITS - (u32)__builtin_clzll(value);
    return (size_t)shift * CLASSES + (value >> shift);
}

// Returns the middle of a class, from which nothing in it is further off than half of the class.
static u64 middle_of(size_t class)
{
    size_t shift = class < 2 * CLASSES ? 0 : class / CLASSES - 1;
    u64 first = (u64)(class - shift * CLASSES) << shift;
    return first + ((1UL << shift) - 1) / 2;
}

static void reserve(struct histogram *histogram, size_t size)
{
    if (size <= histogram->size)
        return;
    u64 *classes = memory_get(size * sizeof(u64));
    if (histogram->size > 0)
        memcpy(classes, histogram->classes, histogram->size * sizeof(u64));
    free(histogram->classes);
    histogram->classes = classes;
    histogram->size = size;
}

void histogram_add(struct histogram *histogram, u64 value)
{
    // Grows by whole powers of two, so that it grows seldom.
    reserve(histogram, (class_of(value) / CLASSES + 1) * CLASSES);
    histogram->classes[class_of(value)]++;
    histogram->min = histogram->count == 0 || value < histogram->min ? value : histogram->min;
    histogram->max = value > histogram->max ? value : histogram->max;
    histogram->count++;
    histogram->sum += (double)value;
}

void histogram_join(struct histogram *histogram, const struct histogram *other)
{
    if (other->count == 0)
        return;
    reserve(histogram, other->size);
    for (size_t i = 0; i < other->size; i++)
        histogram->classes[i] += other->classes[i];
    bool first = histogram->count == 0;
    histogram->min = first || other->min < histogram->min ? other->min : histogram->min;
    histogram->max = other->max > histogram->max ? other->max : histogram->max;
    histogram->count += other->count;
    histogram->sum += other->sum;
}

u64 histogram_percentile(const struct histogram *histogram, double percent)
{
    u64 wanted = (u64)ceil((double)histogram->count * percent / 100), seen = 0;
    for (size_t i = 0; i < histogram->size; i++) {
        seen += histogram->classes[i];
        if (seen < wanted || seen == 0)
            continue;
        u64 value = middle_of(i);
        value = value < histogram->min ? histogram->min : value;
        return value > histogram->max ? histogram->max : value;
    }
    return histogram->max;
}

double histogram_mean(const struct histogram *histogram)
{
    return histogram->count == 0 ? 0 : histogram->sum / (double)histogram->count;
}

u64 histogram_between(const struct histogram *histogram, u64 low, u64 high)
{
    u64 count = 0;
    size_t end = class_of(high);
    for (size_t i = class_of(low); i < end && i < histogram->size; i++)
        count += histogram->classes[i];
    return count;
}

void histogram_free(struct histogram *histogram)
{
    free(histogram->classes);
    *histogram = (struct histogram){0};
}
