// SPDX-License-Identifier: MIT
// Commands of the model unit in problem state, where only MODEL_READ is allowed: all 256, at
// random, with words that might be addresses. None may do anything to whoever counts meanwhile, nor
// to this process. Argument: how many (default 100000).
#include <orrery/types.h>
#include <stdio.h>
#include <stdlib.h>

void command(u64 number, u64 word); // commands.S

// xorshift64
static u64 next(u64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int argc, char **argv)
{
    u64 count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000, state = 42;

    for (u64 i = 0; i < count; i++) {
        u64 number = next(&state) & 0xff;
        u64 word = next(&state);
        command(number, i % 2 == 0 ? word : (word & 0xff) << 16); // beyond memory, or a page of it
    }
    printf("test-commands: %llu commands\n", (unsigned long long)count);
    return 0;
}
