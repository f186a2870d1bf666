// SPDX-License-Identifier: MIT
// The attempts: wild addresses, privileged instructions, broken registers,
// code that never gives way.
#include "attempts.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <string.h>

#define KERNEL 0xC000000000000000
#define WINDOWS 0xC000100000000000
#define STACKS 0xC000300000000000
#define ROUNDS 1000

// ---- addresses ----------------------------------------------------------------------------------

static void read_at(u64 address)
{
    (void)*(volatile u64 *)address; // cppcheck-suppress nullPointer
}

static void write_at(u64 address)
{
    *(volatile u64 *)address = 0x4f525245;
}

static void write_own_text(u64 unused)
{
    (void)unused;
    *(volatile u32 *)*(u64 *)write_own_text = 0;
}

static void jump_to_data(u64 unused)
{
    static u32 code[2] = {0x38600000, 0x4e800020}; // li r3,0; blr
    (void)unused;
    jump_to((u64)code);
}

// System calls given a kernel address refuse it.
static void kernel_pointers(u64 address)
{
    struct sys_info *info = (struct sys_info *)address;
    u64 cursor = 0;

    if (sys_info(info) != E_FAULT ||
        sys_option((const char *)address, (char *)&cursor, 8) != E_FAULT ||
        sys_process_list((u64 *)address, &cursor, 8) != E_FAULT ||
        sys_process_create((const struct sys_process_new *)address) != E_FAULT ||
        sys_region_create(0, (struct sys_region *)address) != E_FAULT)
        sys_exit(1);
}

static int deeper(volatile int *before)
{
    volatile int here[256];

    memset((void *)here, 0, sizeof(here));
    here[0] = *before + 1;
    return here[0] == 0 ? 0 : deeper(here) + here[0]; // never 0 as far as any stack goes
}

static void overflow_stack(u64 unused)
{
    volatile int start = 0;

    (void)unused;
    if (deeper(&start) == 0)
        sys_exit(1);
}

// ---- rights -------------------------------------------------------------------------------------

static void without_rights(u64 unused)
{
    struct sys_class class_info;
    u64 cursor = 0;
    u8 mac[6];
    struct sys_process_new more = {
        .name = "more", .rights = RIGHT_POWER, .priority = PROCESS_NORMAL};
    struct sys_process_new urgent = {.name = "urgent", .priority = PROCESS_SERVER};

    (void)unused;
    sys_process_kill(1, 1);
    if (sys_process_kill(1, 1) != E_PERM || sys_class_get(0, &class_info) != E_PERM ||
        sys_object_scan(&cursor, &class_info, sizeof(class_info)) != E_PERM ||
        sys_net_open(mac) != E_PERM || sys_block_flush() != E_PERM || sys_initrd() != E_PERM ||
        sys_process_create(&more) != E_PERM || sys_process_create(&urgent) != E_INVAL)
        sys_exit(1);
}

// ---- bad behaviour ------------------------------------------------------------------------------

static struct dispatcher_page *page(void)
{
    struct dispatcher_page *result;

    __asm__("addi %0,13,%1" : "=b"(result) : "i"(R13_HOST));
    return result;
}

static void disabled_for_ever(u64 unused)
{
    (void)unused;
    page()->disabled = 1;
    for (;;)
        ;
}

static void fault_while_disabled(u64 unused)
{
    (void)unused;
    page()->disabled = 1;
    read_at(0);
}

// An upcall finds no stack, which is a fault while disabled.
static void upcall_without_stack(u64 unused)
{
    (void)unused;
    page()->upcall_stack = 8;
    read_at(0);
}

static void spoil_own_page(u64 unused)
{
    (void)unused;
    memset(page(), 0xff, sizeof(*page()));
    sys_process_pid(0);
    for (volatile u32 i = 0; i < 50000000; i++)
        ;
}

static void unaligned_reservation(u64 unused)
{
    u64 words[2] = {0}, value;

    (void)unused;
    __asm__ volatile("ldarx %0,0,%1" : "=r"(value) : "r"((char *)words + 1) : "memory");
}

#define READ(what, address)                                                                        \
    {                                                                                              \
        "read " what, read_at, address, ANY_EXCEPTION                                              \
    }
#define WRITE(what, address)                                                                       \
    {                                                                                              \
        "write " what, write_at, address, ANY_EXCEPTION                                            \
    }

const struct attempt attempts[] = {
    READ("address 0", 0),
    READ("below the image", USER_IMAGE - 8),
    READ("between regions", USER_HEAP + 0x80000000),
    READ("another CPU's window", USER_WINDOW + 7 * R13_WINDOW_SIZE),
    READ("past the end", USER_END),
    READ("the far end", 0x000fffffffffff00),
    READ("past what an address can be", 0x0010000000000000),
    READ("quadrant 1", 0x4000000000000000),
    READ("quadrant 2", 0x8000000000000000),
    READ("kernel vectors", KERNEL),
    READ("kernel text", KERNEL + 0x400000),
    READ("kernel data", KERNEL + 0xc00000),
    READ("a kernel window", WINDOWS),
    READ("a kernel stack", STACKS + 0xff00),
    READ("the last word", 0xfffffffffffffff8),
    WRITE("address 0", 0),
    WRITE("kernel vectors", KERNEL + 0x4000),
    WRITE("kernel text", KERNEL + 0x400000),
    WRITE("kernel data", KERNEL + 0xc00000),
    WRITE("a kernel window", WINDOWS + R13_HOST),
    WRITE("a kernel stack", STACKS + 0xff00),
    WRITE("free memory", KERNEL + 0x10000000),
    {"write own text", write_own_text, 0, EXCEPTION(0x300)},
    {"jump to 0", jump_to, 0, ANY_EXCEPTION},
    {"jump to data", jump_to_data, 0, EXCEPTION(0x400)},
    {"jump to kernel text", jump_to, KERNEL + 0x400000, ANY_EXCEPTION},
    {"jump to vectors", jump_to, KERNEL + 0x4c00, ANY_EXCEPTION},
    {"kernel pointers", kernel_pointers, KERNEL + 0xc00000, 0},
    {"kernel window pointers", kernel_pointers, WINDOWS + R13_HOST, 0},
    {"pointers past the end", kernel_pointers, USER_END - 4, 0},
    {"wild pointers", kernel_pointers, UINT64_MAX - 7, 0},
    {"without rights", without_rights, 0, 0},
    {"stack overflow", overflow_stack, 0, EXCEPTION(0x300)},
    {"r13 destroyed", without_r13, ROUNDS, 0},
    {"sp destroyed", without_stack, 0, 0},
    {"sp in the kernel", without_stack, STACKS + 0xff00, 0},
    {"sp at the end", without_stack, UINT64_MAX, 0},
    {"disabled for ever", disabled_for_ever, 0, STATUS_BY_PARENT},
    {"fault while disabled", fault_while_disabled, 0, EXCEPTION(0x300)},
    {"upcall without a stack", upcall_without_stack, 0, ANY_EXCEPTION},
    {"spoil the dispatcher page", spoil_own_page, 0, ANY_END},
    {"unaligned reservation", unaligned_reservation, 0, EXCEPTION(0x600)},
    {"capabilities of other types", capabilities_confused, 0, 0},
    {"a file at another's endpoint", another_s_endpoint, 0, 0},
    {"all memory", all_memory, 0, 0},
    {"all processes", all_processes, 0, 0},
    {"all objects", all_objects, 0, 0},
    {"urgency is handed down", no_urgent_child, 0, 0},
};
const u32 attempt_count = ARRAY_SIZE(attempts);
