// SPDX-License-Identifier: MIT
// What files cost a program, calls to the fs server included. Lines "BENCH name value unit"; a
// nanosecond of virtual time is an instruction under -icount shift=0.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/time.h>

#define ROUNDS 300
#define PAGE 4096
#define MAPPED_PAGES 64

static char data[PAGE];
static int fd;
static int pipe_fds[2];

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

static void pipe_byte(void)
{
    write(pipe_fds[1], data, 1);
    read(pipe_fds[0], data, 1);
}

static void measure(const char *name, void (*operation)(void))
{
    operation();
    u64 begin = time_now();
    for (int i = 0; i < ROUNDS; i++)
        operation();
    double ns = (double)(time_now() - begin) * 1e9 / (double)time_hz();
    printf("BENCH files.%s %.1f ns\n", name, ns / ROUNDS);
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
    double ns = (double)(time_now() - begin) * 1e9 / (double)time_hz();
    printf("BENCH files.%s %.1f ns\n", name, ns / MAPPED_PAGES);
    munmap(map, MAPPED_PAGES * PAGE);
}

int main(void)
{
    fd = open("/tmp/bench-files", O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < MAPPED_PAGES; i++)
        write(fd, data, PAGE);
    if (fd < 0 || pipe(pipe_fds) != 0)
        return 1;
    measure("open_close", open_close);
    measure("stat", stat_path);
    measure("fstat", stat_open);
    measure("read_1", read_byte);
    measure("read_4096", read_page);
    measure("write_4096", write_page);
    measure("pipe_1", pipe_byte);
    map_pages("map_fetched");
    map_pages("map_present");
    unlink("/tmp/bench-files");
    return 0;
}
