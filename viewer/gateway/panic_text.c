// SPDX-License-Identifier: MIT
// Why a machine panicked, from its console.
#include "gateway/panic_text.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PANIC "PANIC on CPU "
#define TAIL_BYTES 65536 // of the file's end, which is what is read

// Opens a regular file, so that it waits for no FIFO. Returns -1 if it is none.
static int open_regular(const char *path, long *bytes)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        *bytes = about.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

long panic_text_begin(const char *path)
{
    long bytes = 0;
    int fd = open_regular(path, &bytes);
    if (fd >= 0)
        close(fd);
    return bytes;
}

// Returns the last panic of a text that ends with a 0, or NULL.
static char *last_panic(char *tail)
{
    char *last = NULL;
    for (char *at = tail; (at = strstr(at, PANIC)) != NULL; at++)
        last = at;
    return last;
}

bool panic_text_find(const char *path, long begin, char *text, size_t size)
{
    long bytes;
    int fd = open_regular(path, &bytes);
    if (fd < 0)
        return false;
    long from = begin > bytes ? 0 : begin;
    if (bytes - from > TAIL_BYTES)
        from = bytes - TAIL_BYTES;
    char *tail = memory_get(TAIL_BYTES + 1);
    ssize_t count = pread(fd, tail, TAIL_BYTES, from);
    close(fd);
    for (ssize_t i = 0; i < count; i++)
        if (tail[i] == 0)
            tail[i] = ' ';
    tail[count < 0 ? 0 : count] = 0;
    char *panic = last_panic(tail);
    if (panic != NULL) {
        snprintf(text, size, "%.*s", (int)strcspn(panic, "\r\n"), panic);
        text_make_printable(text, false);
    }
    free(tail);
    return panic != NULL;
}
