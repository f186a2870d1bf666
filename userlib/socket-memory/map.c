// SPDX-License-Identifier: MIT
#include <net/map.h>
#include <net/protocol.h>

s64 net_map(cap_t memory, void **address)
{
    struct sys_region region = {
        .bytes = NET_SOCKET_BYTES,
        .kind = REGION_SHARED,
        .prot = PROT_R | PROT_W,
        .memory = memory,
    };

    s64 bytes = sys_memory_bytes(memory);
    if (bytes < 0)
        return bytes;
    if ((u64)bytes < NET_SOCKET_BYTES)
        return E_INVAL;
    s64 error = sys_region_create(0, &region);
    if (error == 0)
        *address = (void *)region.address;
    return error;
}

void net_unmap(void *address)
{
    sys_region_destroy((u64)address);
}
