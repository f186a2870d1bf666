// SPDX-License-Identifier: MIT
// The console as a kind of open file: what 0, 1 and 2 are unless a program inherits others.
#include "line.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/sys.h>
#include <poll.h>
#include <user/lock.h>
#include <user/thread.h>

#define OUTPUT_BYTES 512     // of one sys_console_write
#define INPUT_PAUSE_US 10000 // between looks for typed characters

static struct {
    struct mutex lock;
    struct line line;
} input;

static s64 console_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    (void)file;
    if (offset != FD_AT_POSITION)
        return -ESPIPE;
    for (u64 done = 0; done < bytes;) {
        u64 part = bytes - done < OUTPUT_BYTES ? bytes - done : OUTPUT_BYTES;
        s64 status = sys_console_write((const char *)from + done, part);
        if (status < 0)
            return done > 0 ? (s64)done : -posix_errno(status);
        done += part;
    }
    return (s64)bytes;
}

// Takes what has been typed into the line. Returns 0, or an error of sys_console_read.
static s64 take_typed(void)
{
    char typed[64], echo[4];
    s64 count = sys_console_read(typed, sizeof(typed));
    for (s64 i = 0; i < count; i++) {
        u32 bytes = line_type(&input.line, typed[i], echo);
        if (bytes > 0)
            sys_console_write(echo, bytes);
    }
    return count < 0 ? count : 0;
}

static s64 console_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    s64 result = -EAGAIN;
    if (offset != FD_AT_POSITION)
        return -ESPIPE;
    mutex_lock(&input.lock);
    for (;;) {
        s64 status = take_typed();
        if (status < 0)
            result = -posix_errno(status);
        else if (line_ready(&input.line))
            result = (s64)line_take(&input.line, to, bytes);
        if (result != -EAGAIN || (file->flags & O_NONBLOCK) != 0)
            break;
        mutex_unlock(&input.lock);
        thread_sleep_us(INPUT_PAUSE_US);
        mutex_lock(&input.lock);
    }
    mutex_unlock(&input.lock);
    return result;
}

static s64 console_stat(struct fd_file *file, struct stat *info)
{
    (void)file;
    *info = (struct stat){
        .st_mode = S_IFCHR | S_IRUSR | S_IWUSR, .st_nlink = 1, .st_blksize = OUTPUT_BYTES};
    return 0;
}

static s64 console_ready(struct fd_file *file, int events)
{
    (void)file;
    mutex_lock(&input.lock);
    s64 status = take_typed();
    bool readable = line_ready(&input.line);
    mutex_unlock(&input.lock);
    if (status < 0)
        return events & POLLOUT;
    return events & (readable ? POLLIN | POLLOUT : POLLOUT);
}

static s64 console_lend(struct fd_file *file, struct fd_inherit *to)
{
    (void)file, (void)to;
    return 0;
}

static s64 console_borrow(struct fd_file *file, const struct fd_inherit *from)
{
    (void)file, (void)from;
    return 0;
}

const struct fd_ops console_ops = {
    .kind = "console",
    .read = console_read,
    .write = console_write,
    .stat = console_stat,
    .ready = console_ready,
    .lend = console_lend,
    .borrow = console_borrow,
    .terminal = true,
};
