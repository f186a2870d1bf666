// SPDX-License-Identifier: MIT
// Servers that are killed: clients get errors and no hang, init starts the servers again, later and
// later, and clients find them by themselves. The last line is "test-servers: N passed, N failed".
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/names.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <posix/service.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define KILLS 4 // in a row: the pauses before the next start are 100, 200, 400, 800 ms
#define SHARED_PAGE 4096
#define MUCH 100 // uses after which there are no calls
#define LOAD_THREADS 6
#define LOAD_KILLS 3

static unsigned long passed, failed;

void expect(int condition, int line, const char *text, unsigned long value)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED line %d: %s (errno %d, value %#lx)\n", line, text, errno, value);
}

// The process that serves a name, and how often it was started; 0: nobody now.
static u32 server_of(const char *wanted, u32 *starts)
{
    char name[NAMES_NAME_MAX + 1];
    u32 pid;
    for (u32 i = 0; names_list(CAP_NAMES, i, name, sizeof(name), &pid, starts) == 0; i++) {
        if (strcmp(name, wanted) == 0)
            return pid;
    }
    return 0;
}

static u32 wait_for_server(const char *name, u32 *starts)
{
    u32 pid;
    WAIT_FOR((pid = server_of(name, starts)) != 0);
    return pid;
}

// ---- fs ----------------------------------------------------------------------------------------

// A pipe within this process, with "ab" in it: it goes on until an end is closed, which waits for
// no other server. What is in it then is lost, and that is told.
static void a_pipe_goes_on_until_it_is_closed(const int fds[2])
{
    char data[4];
    EXPECT(write(fds[1], "c", 1) == 1 && read(fds[0], data, 2) == 2);
    EXPECT(data[0] == 'a' && data[1] == 'b');
    EXPECT(close(fds[1]) == 0);
    errno = 0;
    EXPECT(read(fds[0], data, 1) == -1 && errno == EIO);
    EXPECT(close(fds[0]) == 0);
}

static void an_open_file_fails_and_new_ones_work(void)
{
    char data[4];
    u32 starts, starts_after;
    int fd = open("/bin/init", O_RDONLY), fds[2];
    EXPECT(read(fd, data, 4) == 4);
    EXPECT(pipe(fds) == 0 && write(fds[1], "ab", 2) == 2);
    u32 pid = server_of("fs", &starts);
    EXPECT(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
    errno = 0;
    EXPECT(read(fd, data, 4) == -1 && errno == EIO);
    a_pipe_goes_on_until_it_is_closed(fds);
    int again = open("/bin/init", O_RDONLY); // waits for the server
    EXPECT(again >= 0 && read(again, data, 4) == 4 && memcmp(data, "\177ELF", 4) == 0);
    EXPECT(read(fd, data, 4) == -1 && errno == EIO); // what was open stays lost
    EXPECT(close(fd) == 0 && close(again) == 0);
    u32 now = wait_for_server("fs", &starts_after);
    EXPECT(now > 1 && now != pid && starts_after == starts + 1);
}

static u8 shared_data[3 * SHARED_PAGE];

static int much_used(const char *path)
{
    u8 page[SHARED_PAGE];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (u32 i = 0; i < sizeof(shared_data); i++)
        shared_data[i] = (u8)(i * 7 >> 2);
    EXPECT(write(fd, shared_data, sizeof(shared_data)) == sizeof(shared_data));
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pread(fd, page, SHARED_PAGE, 0) == SHARED_PAGE &&
               pwrite(fd, shared_data, SHARED_PAGE, 0) == SHARED_PAGE);
    return fd;
}

// Until the lease is over reads are right. From then on they are errors for good, even when a
// server is there again that has another file of that name. Writes do not reach that file.
static void a_shared_file_ends_with_its_server(void)
{
    static const char *const paths[] = {"/tmp/read-shared", "/tmp/written-shared"};
    u8 page[SHARED_PAGE];
    u32 starts, starts_after;
    int fds[] = {much_used(paths[0]), much_used(paths[1])};
    u32 pid = wait_for_server("fs", &starts);
    EXPECT(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
    u64 wrong = 0;
    while (pread(fds[0], page, SHARED_PAGE, SHARED_PAGE) == SHARED_PAGE)
        wrong += memcmp(page, shared_data + SHARED_PAGE, SHARED_PAGE) != 0;
    EXPECT(errno == EIO && wrong == 0);
    while (pwrite(fds[1], "old", 3, 0) == 3)
        ;
    EXPECT(errno == EIO);
    EXPECT(WAIT_FOR(server_of("fs", &starts_after) != 0 && starts_after == starts + 1));
    for (u32 i = 0; i < 2; i++) {
        int fd = open(paths[i], O_RDWR | O_CREAT, 0644);
        EXPECT(write(fd, "new", 3) == 3);
        EXPECT(pread(fds[i], page, 3, 0) == -1 && errno == EIO);
        EXPECT(pwrite(fds[i], "old", 3, 0) == -1 && errno == EIO);
        EXPECT(pread(fd, page, SHARED_PAGE, 0) == 3 && memcmp(page, "new", 3) == 0);
        EXPECT(close(fds[i]) == 0 && close(fd) == 0 && unlink(paths[i]) == 0);
    }
}

// A server that ended soon after its start is started again after twice the pause,
// as init tells on the console too.
static void pauses_grow(void)
{
    for (u32 i = 0; i < KILLS; i++) {
        u32 starts;
        u32 pid = wait_for_server("proc", &starts);
        u64 start = time_now();
        EXPECT(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
        while (server_of("proc", &starts) == pid)
            thread_sleep_us(1000);
        EXPECT(wait_for_server("proc", &starts) > 1);
        u64 pause = time_to_us(time_now() - start) / 1000;
        EXPECT(pause >= 100u << i);
    }
}

static void proc_works_again(void)
{
    char text[256];
    struct stat info;
    int fd = open("/proc/version", O_RDONLY);
    ssize_t bytes = read(fd, text, sizeof(text) - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    EXPECT(bytes > 0 && strncmp(text, "Orrery", 6) == 0);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read(fd, text, 6) == 6);
    close(fd);
    snprintf(text, sizeof(text), "/proc/%d", (int)getpid());
    EXPECT(stat(text, &info) == 0 && S_ISDIR(info.st_mode));
    EXPECT(stat("/proc/999999", &info) == -1 && errno == ENOENT);
    EXPECT(open("/proc/version", O_RDWR) == -1 && errno == EACCES);
    EXPECT(mkdir("/proc/1/x", 0755) == -1 && errno == EACCES);
}

// ---- under load --------------------------------------------------------------------------------

static volatile bool load_ends;
static u64 load_done, load_errors, load_wrong;

static s64 load(void *argument)
{
    char name[32], data[100], back[100];
    snprintf(name, sizeof(name), "/tmp/load-%lu", (unsigned long)argument);
    memset(data, (int)(long)argument + 1, sizeof(data));
    while (!load_ends) {
        bool good = false;
        int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
        if (fd >= 0 && write(fd, data, sizeof(data)) == sizeof(data) &&
            pread(fd, back, sizeof(back), 0) == sizeof(back)) {
            good = true;
            if (memcmp(data, back, sizeof(data)) != 0)
                __atomic_add_fetch(&load_wrong, 1, __ATOMIC_RELAXED);
        }
        if (fd >= 0)
            close(fd);
        __atomic_add_fetch(good ? &load_done : &load_errors, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

static void clients_under_load_go_on(void)
{
    struct thread *threads[LOAD_THREADS];
    for (u64 i = 0; i < LOAD_THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)(i % user_cpu_count());
        EXPECT(thread_create(&threads[i], &attributes, load, (void *)i) == 0);
    }
    for (u32 i = 0; i < LOAD_KILLS; i++) {
        u32 starts;
        u64 before;
        thread_sleep_us(50000);
        u32 pid = wait_for_server("fs", &starts);
        EXPECT(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
        thread_sleep_us(100000);
        before = __atomic_load_n(&load_done, __ATOMIC_RELAXED);
        // They work again.
        EXPECT(WAIT_FOR(__atomic_load_n(&load_done, __ATOMIC_RELAXED) > before));
    }
    load_ends = true;
    for (u32 i = 0; i < LOAD_THREADS; i++)
        thread_join(threads[i], NULL);
    EXPECT(load_wrong == 0 && load_errors <= LOAD_KILLS * LOAD_THREADS);
}

// ---- init under load ---------------------------------------------------------------------------

static volatile bool questions_end;

static s64 ask_for_names(void *argument)
{
    (void)argument;
    while (!questions_end) {
        cap_t endpoint;
        if (names_lookup(CAP_NAMES, "proc", &endpoint) == 0)
            sys_cap_drop(endpoint);
    }
    return 0;
}

// Questions from all CPUs, without a pause, do not keep it from starting servers.
static void questions_do_not_keep_init(void)
{
    struct thread *threads[LOAD_THREADS];
    u32 starts, starts_after;
    u32 pid = wait_for_server("fs", &starts);
    for (u64 i = 0; i < LOAD_THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)(i % user_cpu_count());
        EXPECT(thread_create(&threads[i], &attributes, ask_for_names, NULL) == 0);
    }
    EXPECT(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
    EXPECT(WAIT_FOR(server_of("fs", &starts_after) != 0 && starts_after == starts + 1));
    questions_end = true;
    for (u32 i = 0; i < LOAD_THREADS; i++)
        thread_join(threads[i], NULL);
}

// ---- names -------------------------------------------------------------------------------------

static void names_are_guarded(void)
{
    cap_t endpoint;
    EXPECT(names_lookup(CAP_NAMES, "fs", &endpoint) == 0);
    EXPECT(names_register(CAP_NAMES, "proc", endpoint) == E_PERM); // the manifest's
    EXPECT(names_unregister(CAP_NAMES, "proc") == E_PERM);
    EXPECT(names_register(CAP_NAMES, "", endpoint) == E_INVAL);
    EXPECT(names_register(CAP_NAMES, "mine", 0) < 0);
    s64 memory = sys_memory_new("no endpoint", 4096);
    EXPECT(names_register(CAP_NAMES, "mine", (cap_t)memory) == E_INVAL);
    sys_cap_drop((cap_t)memory);
    EXPECT(names_register(CAP_NAMES, "mine", endpoint) == 0);
    sys_cap_drop(endpoint);
    EXPECT(names_lookup(CAP_NAMES, "mine", &endpoint) == 0);
    EXPECT(names_unregister(CAP_NAMES, "mine") == 0);
    EXPECT(names_lookup(CAP_NAMES, "mine", &endpoint) == E_NOENT);
    EXPECT(names_lookup(CAP_NAMES, "a-name-that-is-longer-than-a-name", &endpoint) == E_INVAL);
}

// ---- malformed requests -------------------------------------------------------------------------

#define NOISE_REQUESTS 20000

static u32 seed = 1;
static u32 noise(u32 below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

// A string or buffer that is nearly right, or not at all: bytes used.
static u32 noise_field(u8 *to, u32 room)
{
    static const char *const texts[] = {
        "/tmp/noise", "/tmp/noise/deeper", "/tmp/../x", "", "fs", "/", "//", "noise"};
    const char *text = texts[noise(ARRAY_SIZE(texts))];
    u64 length = noise(4) == 0 ? noise(50) : strlen(text);
    u32 bytes = (u32)ALIGN_UP(sizeof(length) + strlen(text) + noise(2), 8UL);
    if (noise(50) == 0)
        length = ~0ul - noise(100);
    if (bytes > room)
        return 0;
    memset(to, 0, bytes);
    memcpy(to, &length, sizeof(length));
    memcpy(to + sizeof(length), text, strlen(text));
    return bytes;
}

static void send_noise(cap_t server)
{
    u64 bulk[32], answer[64];
    u32 bytes = 0;
    for (u32 fields = noise(4); fields > 0; fields--)
        bytes += noise_field((u8 *)bulk + bytes, sizeof(bulk) - bytes);
    struct ipc_message message = {.send = bulk,
                                  .send_bytes = noise(20) == 0 ? noise(256) : bytes,
                                  .receive = answer,
                                  .receive_max = sizeof(answer),
                                  .send_cap = noise(10) == 0 ? server : 0};
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        message.words[i] = noise(3) == 0 ? (u64)noise(1 << 24) << noise(40) : noise(300);
    message.words[0] = noise(30);
    if (ipc_call(server, &message) >= 0 && message.received_cap != 0)
        sys_cap_drop(message.received_cap);
}

static void noise_does_no_harm(const char *name)
{
    cap_t server;
    u32 before, after;
    u32 pid = server_of("fs", &before);
    EXPECT(pid != 0);
    s64 found = name == NULL ? sys_cap_copy(CAP_NAMES) : names_lookup(CAP_NAMES, name, &server);
    EXPECT(found >= 0);
    if (name == NULL)
        server = (cap_t)found;
    for (u32 i = 0; i < NOISE_REQUESTS; i++)
        send_noise(server);
    sys_cap_drop(server);
    EXPECT(server_of("fs", &after) == pid && after == before);
    EXPECT(open("/tmp/noise-is-over", O_WRONLY | O_CREAT, 0644) >= 0);
    EXPECT(access("/proc/version", R_OK) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return hostile_main(argc, argv);
    what_is_anothers_is_refused();
    nobody_takes_all();
    names_are_guarded();
    noise_does_no_harm("fs");
    noise_does_no_harm("proc");
    noise_does_no_harm(NULL);
    an_open_file_fails_and_new_ones_work();
    a_shared_file_ends_with_its_server();
    pauses_grow();
    proc_works_again();
    clients_under_load_go_on();
    questions_do_not_keep_init();
    printf("test-servers: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
