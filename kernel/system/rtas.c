// SPDX-License-Identifier: MIT
// RTAS calls by hypercall; tokens are properties of /rtas.
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <orrery/errors.h>
#include <string.h>

#define RTAS_MAX_WORDS 16

struct rtas_arguments {
    u32 token, argument_count, result_count;
    u32 words[RTAS_MAX_WORDS];
};

s64 rtas_call(const char *service, u32 argument_count, const u32 *arguments, u32 result_count,
              u32 *results)
{
    // In the image and so in the linear map below 4 GB; one caller at a time (set-up, power off).
    static struct rtas_arguments call;
    u32 token;

    KASSERT(argument_count + 1 + result_count <= RTAS_MAX_WORDS);
    of_node rtas = of_find("/rtas");
    if (rtas == 0 || of_property_u32(rtas, service, &token) != 0)
        return E_NOENT;
    call.token = token;
    call.argument_count = argument_count;
    call.result_count = result_count + 1;
    for (u32 i = 0; i < argument_count; i++)
        call.words[i] = arguments[i];
    s64 status = HCALL(H_RTAS, virt_to_phys(&call));
    if (status != H_SUCCESS)
        return E_IO;
    for (u32 i = 0; i < result_count; i++)
        results[i] = call.words[argument_count + 1 + i];
    return (s32)call.words[argument_count];
}
