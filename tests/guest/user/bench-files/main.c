// SPDX-License-Identifier: MIT
// What files, pipes and sockets cost a program, calls to the servers included. Lines "BENCH name
// value unit"; a nanosecond of virtual time is an instruction under -icount shift=0. bench/linux
// has the same for Linux.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/time.h>

#include "bench.h"
#include "told.h"

#define ROUNDS 100
#define PAGE 4096
#define MAPPED_PAGES 64

static char data[PAGE];
static int fd;

static void open_close(void)
{
    close(open("/tmp/bench-files", O_RDONLY));
}

static void stat_path(void)
{
    struct stat info;
    stat("/tmp/bench-files", &info);
}

static void stat_open(void)
{
    struct stat info;
    fstat(fd, &info);
}

static void read_byte(void)
{
    pread(fd, data, 1, 0);
}

static void read_page(void)
{
    pread(fd, data, PAGE, 0);
}

static void write_page(void)
{
    pwrite(fd, data, PAGE, 0);
}

void tell(const char *name, u64 ticks, u64 operations)
{
    double ns = (double)ticks * 1e9 / (double)time_hz();

    told(operations);
    printf("BENCH %s %.1f ns\n", name, ns / (double)operations);
}

void measure(const char *name, u32 rounds, void (*operation)(void))
{
    u64 least = UINT64_MAX;

    operation();
    for (u32 batch = 0; batch < BATCHES; batch++) {
        u64 begin = time_now();
        for (u32 i = 0; i < rounds; i++)
            operation();
        u64 ticks = time_now() - begin;
        least = ticks < least ? ticks : least;
    }
    tell(name, least, rounds);
}

// Each page once: the kernel asks the server for it. The second time the pages are there.
static void map_pages(const char *name)
{
    volatile char sum = 0;
    char *map = mmap(NULL, MAPPED_PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return;
    u64 begin = time_now();
    for (int i = 0; i < MAPPED_PAGES; i++)
        sum = (char)(sum + map[i * PAGE]);
    tell(name, time_now() - begin, MAPPED_PAGES);
    munmap(map, MAPPED_PAGES * PAGE);
}

static void bench_files(void)
{
    measure("files.open_close", ROUNDS, open_close);
    measure("files.stat", ROUNDS, stat_path);
    measure("files.fstat", ROUNDS, stat_open);
    measure("files.read_1", ROUNDS, read_byte);
    measure("files.read_4096", ROUNDS, read_page);
    measure("files.write_4096", ROUNDS, write_page);
    map_pages("files.map_fetched");
    map_pages("files.map_present");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "answer") == 0)
        return answer_bytes(0, 1);
    if (argc > 1 && strcmp(argv[1], "connect") == 0)
        return answer_connected();
    fd = open("/tmp/bench-files", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return 1;
    for (int i = 0; i < MAPPED_PAGES; i++)
        write(fd, data, PAGE);
    bench_files();
    unlink("/tmp/bench-files");
    return bench_pipes() && bench_sockets() && bench_web() ? 0 : 1;
}
