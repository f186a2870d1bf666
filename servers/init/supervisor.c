// SPDX-License-Identifier: MIT
// The supervisor. Each service is waiting for the services it needs, running, pausing before its
// next start, or over. The loop looks at all services whenever a process has ended, when a pause is
// over, and every few milliseconds while a service waits.
#include "supervisor.h"

#include "backoff.h"
#include "log.h"
#include "names.h"

#include <co/manager.h>
#include <co/object.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#define RUN SERVICES_MAX // index of the program that is run instead of console services
#define POLL_US 5000     // between two looks while a service waits for another one's name
#define UP_US 10000000   // a service that has not registered a name after this counts as up
#define HOPELESS_MS 400  // nobody waits for a service with such a pause: it has failed repeatedly
#define ENDS_MAX 256     // ends of processes that wait for the loop
#define RUN_SEPARATORS " ,"

enum state { STATE_WAITING, STATE_RUNNING, STATE_PAUSING, STATE_OVER };

struct service {
    struct co_root root;
    struct co_rep rep;
    const struct service_plan *plan;
    u32 index;
    enum state state;
    cap_t names; // CAP_NAMES of its processes
    u32 pid;     // 0: not running
    u64 started; // time base
    u64 due;     // time base of the next start
    u64 pause;   // ms before the last start or the next
};

struct end {
    u32 pid;
    s32 status;
};

static struct service services[SERVICES_MAX + 1];
static u32 service_count;
static struct service_plan run_plan;
static bool run_then_off;

static struct {
    struct mutex lock;
    struct end ends[ENDS_MAX];
    u32 count;
    struct semaphore news;
} ends;

// ---- services as objects -----------------------------------------------------------------------

static const struct co_ops ops = CO_LEAF;
static struct co_class class = {
    .name = "Service",
    .implementation = "ServiceSupervised",
    .size = sizeof(struct service),
    .ops = &ops,
};

static void add_service(const struct service_plan *plan, u32 index)
{
    struct service *service = &services[service_count++];
    service->plan = plan;
    service->index = index;
    s64 coid = co_create_shared(&class, &service->root, &service->rep);
    if (coid > 0)
        co_add_service((coid_t)coid);
    s64 endpoint = names_endpoint(index);
    if (endpoint > 0)
        service->names = (cap_t)endpoint;
    else
        log_line("%s: no endpoint for names: %s", plan->name, orrery_strerror(endpoint));
}

// ---- starting ----------------------------------------------------------------------------------

static s64 spawn(struct service *service)
{
    static const char *const environment[] = {"PATH=/bin", "HOME=/tmp", NULL};
    const struct service_plan *plan = service->plan;
    const char *argv[SERVICE_ARGUMENTS_MAX + 2] = {plan->name};
    memcpy(argv + 1, plan->arguments, plan->argument_count * sizeof(argv[0]));
    struct process_grant grant = {.slot = CAP_NAMES, .cap = service->names};
    struct process_spawn request = PROCESS_SPAWN;
    request.path = plan->program;
    request.name = plan->name;
    request.argv = argv;
    request.envp = environment;
    request.grants = &grant;
    request.grant_count = service->names != 0;
    request.rights = plan->rights;
    request.priority = plan->priority;
    request.memory_limit = plan->memory_limit;
    return process_spawn(&request);
}

static void note_state(const struct service *service)
{
    if (service->index < SERVICES_MAX) {
        names_states[service->index].pid = service->pid;
        names_states[service->index].starts += service->pid != 0;
    }
}

static void pause_before_start(struct service *service, u64 ran)
{
    service->pause = backoff_next(service->pause, ran);
    service->due = time_after_us(service->pause * 1000);
    service->state = STATE_PAUSING;
}

static void give_up(struct service *service, s32 status)
{
    service->state = STATE_OVER;
    if (service->index == RUN && run_then_off)
        sys_power_off(status);
}

static void start(struct service *service)
{
    service->started = time_now();
    s64 pid = spawn(service);
    service->pid = pid > 0 ? (u32)pid : 0;
    note_state(service);
    if (pid > 0) {
        service->state = STATE_RUNNING;
        return;
    }
    if (pid == E_NOENT || pid == E_INVAL || service->index == RUN) { // trying again will not help
        log_line("%s: cannot start %s: %s", service->plan->name, service->plan->program,
                 orrery_strerror(pid));
        give_up(service, 1);
        return;
    }
    pause_before_start(service, 0);
    log_line("%s: cannot start %s: %s; again in %lu ms", service->plan->name,
             service->plan->program, orrery_strerror(pid), (unsigned long)service->pause);
}

// ---- ending ------------------------------------------------------------------------------------

static void note_end(u32 pid, s32 status)
{
    mutex_lock(&ends.lock);
    if (ends.count < ENDS_MAX)
        ends.ends[ends.count++] = (struct end){.pid = pid, .status = status};
    mutex_unlock(&ends.lock);
    semaphore_up(&ends.news);
}

static void log_end(const struct service *service, u32 pid, s32 status, bool again)
{
    char how[48];
    if ((status & STATUS_KILLED(0)) != 0)
        snprintf(how, sizeof(how), "was ended by exception %#x", (unsigned)status & 0xffff);
    else
        snprintf(how, sizeof(how), "ended with status %d", (int)status);
    if (again)
        log_line("%s (pid %u) %s; restart in %lu ms", service->plan->name, pid, how,
                 (unsigned long)service->pause);
    else
        log_line("%s (pid %u) %s", service->plan->name, pid, how);
}

static void ended(struct service *service, s32 status)
{
    enum restart restart = service->plan->restart;
    bool again = restart == RESTART_ALWAYS || (restart == RESTART_FAILURE && status != 0);
    u32 pid = service->pid;
    names_remove(service->index);
    service->pid = 0;
    note_state(service);
    if (again)
        pause_before_start(service, time_to_us(time_now() - service->started) / 1000);
    log_end(service, pid, status, again);
    if (!again)
        give_up(service, status);
}

static bool take_end(struct end *end)
{
    mutex_lock(&ends.lock);
    bool some = ends.count > 0;
    if (some) {
        *end = ends.ends[0];
        memmove(ends.ends, ends.ends + 1, --ends.count * sizeof(ends.ends[0]));
    }
    mutex_unlock(&ends.lock);
    return some;
}

static void handle_ends(void)
{
    struct end end;
    while (take_end(&end)) {
        for (u32 i = 0; i < service_count; i++) {
            if (services[i].pid == end.pid && services[i].state == STATE_RUNNING)
                ended(&services[i], end.status);
        }
    }
}

// ---- the loop ----------------------------------------------------------------------------------

// Returns true if others need not wait for the service any longer. If it is missing, their own
// calls to it fail.
static bool up(const struct service *service)
{
    switch (service->state) {
    case STATE_RUNNING:
        return service->plan->unnamed || names_registered(service->plan->name) ||
               time_now() - service->started > time_from_us(UP_US);
    case STATE_PAUSING:
        return service->pause >= HOPELESS_MS;
    case STATE_OVER:
        return true;
    default:
        return false;
    }
}

static bool has_what_it_needs(const struct service *service)
{
    for (u32 i = 0; i < service_count; i++) {
        if ((service->plan->needs & 1u << services[i].index) != 0 && !up(&services[i]))
            return false;
    }
    return true;
}

// Starts the services that are due. Returns the time to look again.
static u64 poll_services(void)
{
    u64 next = THREAD_FOREVER;
    for (u32 i = 0; i < service_count; i++) {
        struct service *service = &services[i];
        if (service->state == STATE_WAITING && has_what_it_needs(service))
            start(service);
        if (service->state == STATE_PAUSING && time_now() >= service->due)
            start(service);
        u64 due = THREAD_FOREVER;
        if (service->state == STATE_WAITING)
            due = time_after_us(POLL_US);
        else if (service->state == STATE_PAUSING)
            due = service->due;
        next = due < next ? due : next;
    }
    return next;
}

// Adds a service for the program to run; its further words become arguments.
static void plan_program(char *program)
{
    char *rest;
    run_plan = (struct service_plan){
        .rights = RIGHT_ALL, .priority = PROCESS_NORMAL, .restart = RESTART_NEVER};
    char *path = strtok_r(program, RUN_SEPARATORS, &rest);
    if (path == NULL)
        return;
    while (*path == '/')
        path++;
    const char *slash = strrchr(path, '/');
    strncpy(run_plan.program, path, SERVICE_PROGRAM_MAX);
    strncpy(run_plan.name, slash != NULL ? slash + 1 : path, SERVICE_NAME_MAX);
    for (char *word; (word = strtok_r(NULL, RUN_SEPARATORS, &rest)) != NULL;) {
        if (run_plan.argument_count < SERVICE_ARGUMENTS_MAX)
            run_plan.arguments[run_plan.argument_count++] = word;
        else
            log_line("%s: argument %s is one too many", run_plan.name, word);
    }
    for (u32 i = 0; i < service_count; i++)
        run_plan.needs |= 1u << services[i].index;
    add_service(&run_plan, RUN);
}

void supervise(const struct manifest *manifest, char *program, bool power_off)
{
    run_then_off = power_off;
    process_on_child(note_end);
    for (u32 i = 0; i < manifest->count; i++) {
        if (program[0] == '\0' || !manifest->services[i].console)
            add_service(&manifest->services[i], i);
    }
    if (program[0] != '\0')
        plan_program(program);
    for (;;) {
        handle_ends();
        u64 next = poll_services();
        semaphore_down_until(&ends.news, next);
    }
}
