// SPDX-License-Identifier: MIT
// The smallest program: the console, without the C library's files.
#include <orrery/sys.h>
#include <string.h>

int main(void)
{
    static const char text[] = "hello from user mode\n";
    sys_console_write(text, strlen(text));
    return 0;
}
