// SPDX-License-Identifier: MIT
// How large an export becomes is known before it is written: it is made for a stream that only
// counts, and ends at a limit.
#include "export/chrome.h"
#include "tools/kov.h"

struct counter {
    u64 bytes, limit;
};

static ssize_t count(void *cookie, const char *data, size_t size)
{
    struct counter *counter = cookie;
    (void)data;
    counter->bytes += size;
    return counter->bytes > counter->limit ? 0 : (ssize_t)size;
}

int chrome_is_larger(const struct chrome *plan, u64 limit, bool *larger)
{
    struct chrome chrome = *plan;
    struct counter counter = {.limit = limit};
    chrome.out = fopencookie(&counter, "w", (cookie_io_functions_t){.write = count});
    if (chrome.out == NULL)
        return fail(KOV_FAILED, "out of memory");
    int code = chrome_export(&chrome);
    fclose(chrome.out);
    *larger = counter.bytes > limit;
    return code;
}
