// SPDX-License-Identifier: MIT
// Open Firmware client calls by hypercall, which works at any time (docs/design/platform.md).
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <orrery/errors.h>
#include <string.h>

#define OF_MAX_ARGUMENTS 10
#define OF_NONE 0xffffffffu

struct of_arguments {
    u32 service; // 32-bit address
    u32 argument_count;
    u32 result_count;
    u32 words[OF_MAX_ARGUMENTS];
};

// Returns a firmware address: 32 bits. Everything passed lies in the image, below 4 GB.
static u32 real_address(const void *pointer)
{
    return (u32)((u64)pointer & 0xffffffff);
}

// Arguments must be in the linear map. Callers' stacks need not be, so the block and strings are
// staged here. Boot and driver set-up only, one CPU at a time.
static struct of_arguments staged;
static char staged_text[2][128];
static u8 staged_data[1024];

static u32 of_call(const char *service, u32 argument_count, u32 result_count)
{
    strncpy(staged_text[0], service, sizeof(staged_text[0]) - 1);
    staged.service = real_address(staged_text[0]);
    staged.argument_count = argument_count;
    staged.result_count = result_count;
    if (HCALL(H_OF_CLIENT, real_address(&staged)) != H_SUCCESS)
        return OF_NONE;
    return staged.words[argument_count];
}

static void stage_text(const char *text)
{
    memset(staged_text[1], 0, sizeof(staged_text[1]));
    strncpy(staged_text[1], text, sizeof(staged_text[1]) - 1);
}

of_node of_find(const char *path)
{
    stage_text(path);
    staged.words[0] = real_address(staged_text[1]);
    u32 node = of_call("finddevice", 1, 1);
    return node == OF_NONE ? 0 : node;
}

of_node of_child(of_node node)
{
    staged.words[0] = node;
    u32 child = of_call("child", 1, 1);
    return child == OF_NONE ? 0 : child;
}

of_node of_peer(of_node node)
{
    staged.words[0] = node;
    u32 peer = of_call("peer", 1, 1);
    return peer == OF_NONE ? 0 : peer;
}

s64 of_property(of_node node, const char *name, void *to, u64 bytes)
{
    stage_text(name);
    u32 room = bytes < sizeof(staged_data) ? (u32)bytes : (u32)sizeof(staged_data);
    staged.words[0] = node;
    staged.words[1] = real_address(staged_text[1]);
    staged.words[2] = real_address(staged_data);
    staged.words[3] = room;
    u32 length = of_call("getprop", 4, 1);
    if (length == OF_NONE)
        return E_NOENT;
    memcpy(to, staged_data, length < room ? length : room);
    return length;
}

s64 of_property_u32(of_node node, const char *name, u32 *value)
{
    u32 cell;
    s64 length = of_property(node, name, &cell, sizeof(cell));
    if (length < (s64)sizeof(cell))
        return E_NOENT;
    *value = cell;
    return 0;
}
