// SPDX-License-Identifier: MIT
// stdio over files: buffers, seeking, temporary files.
#include "tests.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES 2000

void test_stdio(void)
{
    char line[64], expected[64];
    int good = 1, count = 0;
    FILE *file = fopen("/tmp/lines", "w+");
    EXPECT(file != NULL);
    if (file == NULL)
        return;
    for (int i = 0; i < LINES; i++)
        good &= fprintf(file, "line %d of %d, %f\n", i, LINES, i / 8.0) > 0;
    EXPECT(good);
    rewind(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        snprintf(expected, sizeof(expected), "line %d of %d, %f\n", count, LINES, count / 8.0);
        good &= strcmp(line, expected) == 0;
        count++;
    }
    EXPECT(good && count == LINES);
    EXPECT(fseek(file, -9, SEEK_END) == 0 && fgets(line, sizeof(line), file) != NULL);
    EXPECT(fclose(file) == 0);
    EXPECT(remove("/tmp/lines") == 0);
    file = fopen("/tmp/lines", "r");
    EXPECT(file == NULL);
    file = tmpfile();
    EXPECT(file != NULL && fputs("temporary", file) >= 0 && fclose(file) == 0);
}
