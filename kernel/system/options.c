// SPDX-License-Identifier: MIT
// Boot line options, parsed strictly: one table of names, values and help. What follows the word
// `--` is for programs.
#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <limits.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <trace/events.h>
#include <trace/table.h>

#define BOOT_LINE_MAX 1024
// Without events that come so often that little else would be left.
#define DEFAULT_TRACE_MASK                                                                         \
    (TRACE_ALL_MAJORS & ~(1UL << TRACE_MAJOR_PMU) & ~(1UL << TRACE_MAJOR_TEST) &                   \
     ~(1UL << TRACE_MAJOR_SYSCALL) & ~(1UL << TRACE_MAJOR_FAULT) & ~(1UL << TRACE_MAJOR_LOCKHOLD))

// Images with sanitizers check much anyway, so they always poison.
#if defined(SANITIZE_ADDRESS) || defined(SANITIZE_UNDEFINED)
#define SANITIZED true
#else
#define SANITIZED false
#endif

struct boot_options boot_options = {
    .trace_mask = DEFAULT_TRACE_MASK,
    .trace_subbuffers = 64,
    .init = BOOT_INIT,
    .lockup = 10,
    .poison = SANITIZED,
};

struct option {
    const char *name;
    const char *value; // what to put there, NULL: takes none
    const char *help;
    bool (*set)(const char *value);
};

static bool copy_text(char *to, u64 bytes, const char *value)
{
    u64 length = strlen(value);

    if (length == 0 || length >= bytes)
        return false;
    memcpy(to, value, length + 1);
    return true;
}

static bool set_bench(const char *value)
{
    return copy_text(boot_options.bench, sizeof(boot_options.bench), value);
}

static bool set_oneshot(const char *value)
{
    (void)value;
    boot_options.oneshot = true;
    return true;
}

static bool set_workload(const char *value)
{
    return copy_text(boot_options.workload, sizeof(boot_options.workload), value);
}

static bool set_init(const char *value)
{
    return copy_text(boot_options.init, sizeof(boot_options.init), value);
}

static bool set_run(const char *value)
{
    return copy_text(boot_options.run, sizeof(boot_options.run), value);
}

// The server sched asks for it, and knows the policies.
static bool set_sched(const char *value)
{
    return value[0] != '\0';
}

static bool set_observer(const char *value)
{
    return copy_text(boot_options.observer_token, sizeof(boot_options.observer_token), value);
}

static bool set_controller(const char *value)
{
    return copy_text(boot_options.controller_token, sizeof(boot_options.controller_token), value);
}

#ifndef WITHOUT_trace
// Adds the major that the first length characters of name spell, in either case.
static bool add_major(const char *name, u64 length, u64 *mask)
{
    for (u32 i = 0; i < trace_major_count; i++) {
        if (strlen(trace_majors[i].name) == length &&
            strncasecmp(trace_majors[i].name, name, length) == 0) {
            *mask |= 1UL << trace_majors[i].number;
            return true;
        }
    }
    return false;
}

static bool set_trace(const char *value)
{
    u64 mask = 0;

    if (strcmp(value, "all") == 0)
        mask = TRACE_ALL_MAJORS;
    else if (strcmp(value, "none") != 0) {
        for (const char *end; (end = strchr(value, ',')) != NULL; value = end + 1) {
            if (!add_major(value, (u64)(end - value), &mask))
                return false;
        }
        if (!add_major(value, strlen(value), &mask))
            return false;
    }
    boot_options.trace_mask = mask;
    return true;
}

static bool set_trace_mode(const char *value)
{
    boot_options.trace_discard = strcmp(value, "discard") == 0;
    return boot_options.trace_discard || strcmp(value, "overwrite") == 0;
}

static bool set_subbuffers(const char *value)
{
    char *end;
    unsigned long count = strtoul(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end != '\0' || count < 4 || count > 4096 ||
        (count & (count - 1)) != 0)
        return false;
    boot_options.trace_subbuffers = (u32)count;
    return true;
}
#else
static bool set_trace(const char *value)
{
    return strcmp(value, "none") == 0;
}
#endif

static bool set_lockup(const char *value)
{
    char *end;
    unsigned long seconds = strtoul(value, &end, 10);

    boot_options.lockup = (u32)seconds;
    return value[0] >= '0' && value[0] <= '9' && *end == '\0' && seconds <= 3600;
}

static bool set_poison(const char *value)
{
    (void)value;
    boot_options.poison = true;
    return true;
}

static bool set_fail(const char *value)
{
    char *whose, *end;
    unsigned long nth = strtoul(value, &whose, 10), pid = 0;

    if (value[0] < '0' || value[0] > '9' || nth == 0 || nth == ULONG_MAX || *whose++ != ',')
        return false;
    bool kernel = strcmp(whose, "kernel") == 0, all = strcmp(whose, "all") == 0;
    if (!kernel && !all) {
        pid = strtoul(whose, &end, 10);
        if (whose[0] < '0' || whose[0] > '9' || *end != '\0' || pid == 0 || pid >= SYS_MEMORY_ALL)
            return false;
    }
    boot_options.fail = nth;
    boot_options.fail_pid = all ? SYS_MEMORY_ALL : (u32)pid;
    return true;
}

static bool set_quiet(const char *value)
{
    (void)value;
    boot_options.quiet = true;
    return true;
}

static bool set_panic(const char *value)
{
    (void)value;
    boot_options.panic_test = true;
    return true;
}

static bool set_ipc(const char *value)
{
    boot_options.ipc_slow = strcmp(value, "slow") == 0;
    return boot_options.ipc_slow || strcmp(value, "fast") == 0;
}

static const struct option options[] = {
    {"bench", "all|budget|NAME[,NAME]", "run microbenchmarks at boot", set_bench},
    {"oneshot", NULL,
     "power off after the benchmarks, or run's or init's program, with their status", set_oneshot},
    {"workload", "NAME[:KEY=VALUE,...]", "start a workload at boot", set_workload},
    {"init", "PATH", "first process, in the initial file system (default: bin/init)", set_init},
    {"run", "PROGRAM[,ARGUMENT...]", "run a program when the servers are up, instead of the shell",
     set_run},
    {"sched", "POLICY", "policy of the scheduler in user mode (default: none)", set_sched},
    {"observer", "TOKEN", "token of DCI clients that may look (up to 64 characters)", set_observer},
    {"controller", "TOKEN", "token of DCI clients that may also change things", set_controller},
#ifdef WITHOUT_trace
    {"trace", "none", "this kernel was built without a trace", set_trace},
#else
    {"trace", "none|all|MAJOR[,MAJOR]", "what to trace (default: all but PMU and TEST)", set_trace},
    {"trace-mode", "overwrite|discard", "when trace buffers are full (default: overwrite)",
     set_trace_mode},
    {"trace-subbuffers", "4...4096", "64 KB trace buffers a CPU, a power of two (default: 64)",
     set_subbuffers},
#endif
    {"ipc", "fast|slow", "slow: no call takes the fast path (default: fast)", set_ipc},
    {"lockup", "0...3600",
     "seconds after which a CPU that hangs is reported, 0: never (default: 10)", set_lockup},
    {"poison", NULL, "fill freed memory with junk, so that a use of it shows", set_poison},
    {"fail", "N,PID|kernel|all",
     "for tests: allocation N from the first process on fails, of a process, of the kernel's own "
     "threads, or of all",
     set_fail},
    {"quiet", NULL, "no boot messages but errors", set_quiet},
    {"panic", NULL, "panic after boot, to see what a panic tells", set_panic},
};

static void __attribute__((noreturn)) refuse(const char *what, const char *option)
{
    kprintf("boot: %s option \"%s\"; valid options:\n", what, option);
    for (u32 i = 0; i < ARRAY_SIZE(options); i++)
        kprintf("  %s%s%s\n      %s\n", options[i].name, options[i].value != NULL ? "=" : "",
                options[i].value != NULL ? options[i].value : "", options[i].help);
    power_off(1);
}

static void parse_option(char *word)
{
    char *value = strchr(word, '=');
    u64 length = value != NULL ? (u64)(value - word) : strlen(word);

    for (u32 i = 0; i < ARRAY_SIZE(options); i++) {
        if (strlen(options[i].name) != length || strncmp(options[i].name, word, length) != 0)
            continue;
        if ((value != NULL) != (options[i].value != NULL) ||
            !options[i].set(value != NULL ? value + 1 : NULL))
            refuse("malformed", word);
        return;
    }
    refuse("unknown", word);
}

// All words, one after the other, each with its NUL. An empty one is at the end.
static char words[BOOT_LINE_MAX + 1];

const char *boot_option_value(const char *name)
{
    u64 length = strlen(name);

    for (const char *word = words; *word != '\0'; word += strlen(word) + 1) {
        if (strncmp(word, name, length) != 0)
            continue;
        if (word[length] == '=')
            return word + length + 1;
        if (word[length] == '\0')
            return word + length;
    }
    return NULL;
}

void boot_options_parse(void)
{
    static char line[BOOT_LINE_MAX];
    char *end = words;
    bool ours = true;

    s64 length = of_property(of_find("/chosen"), "bootargs", line, sizeof(line) - 1);
    if (length >= (s64)sizeof(line))
        refuse("too long a line of", "bootargs");
    for (char *word = strtok(line, " \t\n"); word != NULL; word = strtok(NULL, " \t\n")) {
        ours = ours && strcmp(word, "--") != 0;
        if (ours)
            parse_option(word);
        strcpy(end, word);
        end += strlen(word) + 1;
    }
    *end = '\0';
}
