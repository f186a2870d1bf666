// SPDX-License-Identifier: MIT
// A file larger than memory, some of it read twice: its pages come and go, and nobody else runs
// short. On small machines only.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <user/ipc.h>

#define SMALL_BYTES (256UL << 20)
#define WORDS (PAGE / 8)

static cap_t file;
static u64 fetches;

static s64 serve(struct ipc_request *request)
{
    static u64 page[WORDS];

    if (request->words[0] == FILE_FETCH) {
        page[0] = page[WORDS - 1] = request->words[1] + 1;
        fetches++;
        sys_file_supply(file, request->words[1], page, 0);
    }
    return 0;
}

static u64 wrong_pages(const volatile u64 *words, u64 pages)
{
    u64 wrong = 0;

    for (u64 i = 0; i < pages; i++)
        wrong += words[i * WORDS] != i * PAGE + 1 || words[(i + 1) * WORDS - 1] != i * PAGE + 1;
    return wrong;
}

void test_reclaim(void)
{
    struct sys_info info;

    CHECK_IS(sys_info(&info), 0);
    if (info.memory_bytes > SMALL_BYTES)
        return;
    u64 pages = info.memory_bytes / PAGE;
    s64 endpoint = ipc_endpoint(serve, NULL);
    file =
        (cap_t)sys_file_create((cap_t)endpoint, ipc_badge((cap_t)endpoint), "large", pages * PAGE);
    u64 address = make_region(REGION_SHARED, pages * PAGE, PROT_R, file, 0);
    u64 own = make_region(REGION_ANONYMOUS, 500 * PAGE, PROT_R | PROT_W, 0, 0);

    CHECK_IS(wrong_pages((u64 *)address, pages), 0);
    CHECK_IS(fetches, pages);
    CHECK_IS(wrong_pages((u64 *)address, pages / 16), 0);
    CHECK_IS(fetches > pages, 1);
    for (u64 i = 0; i < 500; i++) // clean pages of the file make room
        *(volatile u64 *)(own + i * PAGE) = i;
    CHECK_IS(sys_region_destroy(own), 0);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(sys_cap_drop(file), 0);
    CHECK_IS(ipc_endpoint_close((cap_t)endpoint), 0);
}
