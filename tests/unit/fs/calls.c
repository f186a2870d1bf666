// SPDX-License-Identifier: MIT
#include "calls.h"

#include "filesystem.h"
#include "opening.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct ipc_caller caller = {.pid = PID};

int server_start(void **state)
{
    host_start(state);
    assert_int_equal(filesystem_create(), 0);
    assert_int_equal(openings_create(), 0);
    return 0;
}

s64 open_as(const char *path, u32 flags, u32 pid, u64 *file)
{
    struct fs_stat info;
    struct ipc_caller other = {.pid = pid};
    return fs_server_open(&other, path, flags, file, &info);
}

u64 opened(const char *path, u32 flags)
{
    u64 file = 0;
    assert_int_equal(open_as(path, flags, PID, &file), 0);
    return file;
}

u64 written(u64 file, u64 offset, const char *text)
{
    u64 done = 0;
    assert_int_equal(fs_server_write(&caller, file, offset, 0, text, strlen(text), &done), 0);
    return done;
}

void holds(u64 file, u64 offset, const char *text)
{
    char data[100];
    u64 bytes;
    assert_int_equal(fs_server_read(&caller, file, offset, 0, data, sizeof(data), &bytes), 0);
    assert_int_equal(bytes, strlen(text));
    assert_memory_equal(data, text, bytes);
}

bool is_there(const char *path)
{
    struct fs_stat info;
    s64 status = fs_server_stat(&caller, path, &info);
    assert_true(status == 0 || status == E_NOENT);
    return status == 0;
}

void remove_all(const char *path)
{
    assert_int_equal(fs_server_remove(&caller, path), 0);
}
