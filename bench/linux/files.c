// SPDX-License-Identifier: MIT
// A file in memory.
#include <asm/stat.h>
#include <linux/fcntl.h>

#include "bench.h"

static u8 data[PAGE];
static int fd;
static struct stat info;

static void open_close(void)
{
    s64 opened = SYS(open, "/tmp/bench", O_RDONLY);
    SYS(close, opened);
}

static void stat_path(void)
{
    SYS(stat, "/tmp/bench", &info);
}

static void stat_open(void)
{
    SYS(fstat, fd, &info);
}

static void read_byte(void)
{
    SYS(pread64, fd, data, 1, 0);
}

static void read_page(void)
{
    SYS(pread64, fd, data, PAGE, 0);
}

static void write_page(void)
{
    SYS(pwrite64, fd, data, PAGE, 0);
}

void bench_files(void)
{
    fd = (int)need("open", SYS(open, "/tmp/bench", O_RDWR | O_CREAT, 0644));
    need("write", SYS(write, fd, data, PAGE));
    measure("files.open_close", 300, open_close);
    measure("files.stat", 300, stat_path);
    measure("files.fstat", 300, stat_open);
    measure("files.read_1", 300, read_byte);
    measure("files.read_4096", 300, read_page);
    measure("files.write_4096", 300, write_page);
    SYS(close, fd);
}
