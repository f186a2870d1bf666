// SPDX-License-Identifier: MIT
// test-profile-contexts: the first process of its machine, which reads its own trace. With
// `record`: logs the same for who records it, and says what.
#include "tests.h"

#include <string.h>

u32 context_of(const char *name, u32 count, const char *const *sensors)
{
    struct profile_context context = {
        .provider = PROVIDER, .name = name, .sensors = sensors, .sensor_count = count};
    s64 number = profile_context_add(&context);
    EXPECT(number > 0);
    return number > 0 ? (u32)number : 0;
}

u32 source_of(struct profile_source source)
{
    s64 number = profile_source_add(&source);
    EXPECT(number > 0);
    return number > 0 ? (u32)number : 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "record") == 0) {
        own_recorded();
        timer_recorded();
        return expect_report("test-profile-contexts");
    }
    own_events();
    timer_events();
    counter_events();
    limits();
    return expect_report("test-profile-contexts");
}
