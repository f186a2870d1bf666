// SPDX-License-Identifier: MIT
// Takes the options of a sampling session from a named configuration.
#include "samples/sampling.h"

int sampling_take_configuration(struct sampling_options *options)
{
    const struct configuration *configuration = &options->loaded;
    if (options->configuration == NULL)
        return KOV_OK;
    if (options->events.count > 0)
        return fail(KOV_USAGE, "give either --event or --config");
    int code = configuration_load(options->configuration, &options->loaded);
    if (code != KOV_OK)
        return code;
    options->events.texts[options->events.count++] = configuration->events;
    if (options->period == SAMPLING_NOT_GIVEN && options->frequency == SAMPLING_NOT_GIVEN &&
        configuration->period != 0)
        options->period = configuration->period;
    u32 cpus;
    code = cpu_list_parse(configuration->cpus, &cpus);
    options->cpu_mask = options->cpu_mask != 0 ? options->cpu_mask : cpus;
    return code;
}
