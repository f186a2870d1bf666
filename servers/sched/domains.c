// SPDX-License-Identifier: MIT
// The table of domains.
#include "domains.h"

#include <orrery/errors.h>
#include <string.h>

static struct {
    u32 pid;                 // 0: free
    bool noted;              // since the last time
    bool rests;              // freed at the last time: its rows are not read yet
} domains[DOMAIN_OF_OTHERS]; // 0 is not used: it is not logged
static u32 others, others_noted;

void domains_begin(void)
{
    memset(domains, 0, sizeof(domains));
    others = others_noted = 0;
}

// Returns a domain that nobody has, or DOMAIN_OF_OTHERS.
static u32 find_free(void)
{
    u32 domain = 1;

    while (domain < DOMAIN_OF_OTHERS && (domains[domain].pid != 0 || domains[domain].rests))
        domain++;
    return domain;
}

void domains_note(u32 pid)
{
    for (u32 domain = 1; domain < DOMAIN_OF_OTHERS; domain++)
        if (domains[domain].pid == pid) {
            domains[domain].noted = true;
            return;
        }
    u32 domain = find_free();
    if (sys_log_domain(pid, 0, domain) != 0)
        return; // it has ended
    if (domain == DOMAIN_OF_OTHERS)
        others_noted++;
    else
        domains[domain].pid = pid, domains[domain].noted = true;
}

void domains_taken_back(void)
{
    for (u32 domain = 1; domain < DOMAIN_OF_OTHERS; domain++) {
        domains[domain].rests = domains[domain].pid != 0 && !domains[domain].noted;
        if (domains[domain].rests)
            domains[domain].pid = 0;
        domains[domain].noted = false;
    }
    others = others_noted;
    others_noted = 0;
}

u32 domains_pid(u32 domain)
{
    return domain < DOMAIN_OF_OTHERS ? domains[domain].pid : 0;
}

u32 domains_others(void)
{
    return others;
}
