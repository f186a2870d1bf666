// SPDX-License-Identifier: MIT
// A named configuration in place of the options of a sampling session.
#include "counts/configuration.h"
#include "samples/sampling.h"

static u32 count_events(const char *events)
{
    u32 count = 1;
    for (; *events != '\0'; events++)
        count += *events == ',';
    return count;
}

// Samples of several events are taken at once and not in turns, so all sets are one, or where that
// are too many events, the first set is.
static void take_events(const struct configuration *configuration)
{
    struct texts *events = &sampling_options.events;
    const char *all = configuration->events;
    if (count_events(all) > SAMPLED_EVENTS_MAX && configuration->sets.count > 1) {
        all = configuration->sets.texts[0];
        warn("configuration '%s' has more than %d events; those of its first set are sampled: %s",
             configuration->name, SAMPLED_EVENTS_MAX, all);
    }
    events->texts[events->count++] = all;
}

int sampling_take_configuration(void)
{
    static struct configuration configuration; // its texts are used as long as kov runs
    struct sampling_options *options = &sampling_options;
    if (options->configuration == NULL)
        return KOV_OK;
    if (options->events.count > 0)
        return fail(KOV_USAGE, "give either --event or --config");
    int code = configuration_load(options->configuration, &configuration);
    if (code != KOV_OK)
        return code;
    take_events(&configuration);
    if (options->period == SAMPLING_NOT_GIVEN && options->frequency == SAMPLING_NOT_GIVEN &&
        configuration.period != 0)
        options->period = configuration.period;
    u32 cpus;
    code = cpu_list_parse(configuration.cpus, &cpus);
    options->cpu_mask = options->cpu_mask != 0 ? options->cpu_mask : cpus;
    return code;
}
