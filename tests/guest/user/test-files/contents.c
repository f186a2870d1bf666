// SPDX-License-Identifier: MIT
// What is written is read: at every offset around pages and transfers, in holes, behind the end,
// by append.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH "/tmp/contents"
#define BYTES 50000 // several transfers (12288) and pages

static void fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

static void whole(void)
{
    static unsigned char data[BYTES], back[BYTES + 10];
    fill(data, BYTES, 1);
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(fd >= 0);
    EXPECT(write(fd, data, BYTES) == BYTES);
    EXPECT(lseek(fd, 0, SEEK_CUR) == BYTES);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0);
    EXPECT(read(fd, back, sizeof(back)) == BYTES);
    EXPECT(memcmp(data, back, BYTES) == 0);
    EXPECT(read(fd, back, 1) == 0);
    EXPECT(close(fd) == 0);
}

static void parts(void)
{
    static const size_t offsets[] = {0, 1, 4095, 4096, 4097, 12287, 12288, 12289, 30000};
    static const size_t lengths[] = {1, 2, 4095, 4096, 4097, 12288, 12289};
    static unsigned char data[BYTES], back[BYTES];
    int fd = open(PATH, O_RDWR);
    EXPECT(fd >= 0);
    EXPECT(pread(fd, data, BYTES, 0) == BYTES);
    int good = 1;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
            size_t offset = offsets[i], bytes = lengths[k];
            fill(data + offset, bytes, (unsigned)(i * 16 + k));
            good &= pwrite(fd, data + offset, bytes, (off_t)offset) == (ssize_t)bytes;
            good &= pread(fd, back, BYTES, 0) == BYTES && memcmp(data, back, BYTES) == 0;
        }
    }
    EXPECT(good);
    EXPECT(lseek(fd, 0, SEEK_CUR) == 0); // pread and pwrite leave the position
    close(fd);
}

static void holes_and_lengths(void)
{
    char data[16];
    struct stat info;
    int fd = open(PATH, O_RDWR | O_TRUNC);
    EXPECT(fstat(fd, &info) == 0 && info.st_size == 0);
    EXPECT(pwrite(fd, "end", 3, 100000) == 3);
    EXPECT(fstat(fd, &info) == 0 && info.st_size == 100003 && S_ISREG(info.st_mode));
    EXPECT(pread(fd, data, sizeof(data), 50000) == sizeof(data));
    for (size_t i = 0; i < sizeof(data); i++)
        EXPECT(data[i] == 0);
    EXPECT(pread(fd, data, sizeof(data), 99998) == 5 && memcmp(data, "\0\0end", 5) == 0);
    EXPECT(pread(fd, data, sizeof(data), 200000) == 0);
    EXPECT(ftruncate(fd, 100001) == 0);
    EXPECT(ftruncate(fd, 100010) == 0); // what was cut off is zeroes now
    EXPECT(pread(fd, data, sizeof(data), 100000) == 10 &&
           memcmp(data, "e\0\0\0\0\0\0\0\0\0", 10) == 0);
    EXPECT(truncate(PATH, 3) == 0 && fstat(fd, &info) == 0 && info.st_size == 3);
    EXPECT_ERROR(ftruncate(fd, -1), EINVAL);
    close(fd);
}

static void appending(void)
{
    char data[8] = {0};
    int first = open(PATH, O_WRONLY | O_TRUNC | O_APPEND);
    int second = open(PATH, O_WRONLY | O_APPEND);
    EXPECT(write(first, "a", 1) == 1 && write(second, "b", 1) == 1 && write(first, "c", 1) == 1);
    int fd = open(PATH, O_RDONLY);
    EXPECT(read(fd, data, sizeof(data)) == 3 && strcmp(data, "abc") == 0);
    close(first), close(second), close(fd);
}

static void seeking(void)
{
    char data;
    int fd = open(PATH, O_RDONLY);
    EXPECT(lseek(fd, -1, SEEK_END) == 2 && read(fd, &data, 1) == 1 && data == 'c');
    EXPECT(lseek(fd, -2, SEEK_CUR) == 1 && read(fd, &data, 1) == 1 && data == 'b');
    EXPECT_ERROR(lseek(fd, -1, SEEK_SET), EINVAL);
    EXPECT_ERROR(lseek(fd, 0, 77), EINVAL);
    EXPECT(lseek(fd, 1000, SEEK_SET) == 1000 && read(fd, &data, 1) == 0);
    close(fd);
}

static void rights(void)
{
    char data[4];
    int fd = open(PATH, O_RDONLY);
    EXPECT_ERROR(write(fd, "x", 1), EBADF);
    close(fd);
    fd = open(PATH, O_WRONLY);
    EXPECT_ERROR(read(fd, data, 1), EBADF);
    close(fd);
    EXPECT_ERROR(open("/bin/init", O_RDWR), EACCES); // the initial file system stays as it is
    EXPECT_ERROR(truncate("/bin/init", 0), EACCES);
    fd = open("/bin/init", O_RDONLY);
    EXPECT(fd >= 0 && read(fd, data, 4) == 4 && memcmp(data, "\177ELF", 4) == 0);
    close(fd);
    fd = open("/dev/null", O_RDWR);
    EXPECT(write(fd, "gone", 4) == 4 && read(fd, data, 4) == 0);
    close(fd);
}

void test_contents(void)
{
    whole();
    parts();
    holes_and_lengths();
    appending();
    seeking();
    rights();
    EXPECT(unlink(PATH) == 0);
}
