/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_drop.c - applies drop_frames and keep_frames: a function that matches is not shown, nor is
 * anything that it calls. */
#include "formats/pprof/pprof_drop.h"

#include <stdlib.h>

/* The whole name must match.  NULL: the rule cannot be used. */
static struct pattern *compile(const struct pprof_profile *profile, uint32_t string)
{
    struct slice const text = pprof_text(profile, string);
    char *letters =
        text.size && !memchr(text.data, '\0', text.size) ? strndup(text.data, text.size) : NULL;
    struct pattern *pattern = NULL;
    if (letters)
        pattern_compile(letters, PATTERN_WHOLE, NULL, &pattern, NULL);
    free(letters);
    return pattern;
}

void pprof_drop_init(struct pprof_drop *drop, const struct pprof_profile *profile)
{
    *drop = (struct pprof_drop){.drop = NULL};
    if (!profile->drop_frames)
        return;
    drop->drop = compile(profile, profile->drop_frames);
    drop->is_odd = !drop->drop;
    if (!drop->drop || !profile->keep_frames)
        return;
    drop->keep = compile(profile, profile->keep_frames);
    drop->is_odd = !drop->keep;
}

void pprof_drop_fini(struct pprof_drop *drop)
{
    pattern_destroy(drop->drop);
    pattern_destroy(drop->keep);
    *drop = (struct pprof_drop){.drop = NULL};
}

bool pprof_drop_is_bad(const struct pprof_drop *drop)
{
    return drop->is_odd || (drop->drop && pattern_given_up(drop->drop)) ||
           (drop->keep && pattern_given_up(drop->keep));
}

static bool matches(const struct pprof_drop *drop, struct slice name)
{
    return name.size > 0 && pattern_matches(drop->drop, name) &&
           !(drop->keep && pattern_matches(drop->keep, name));
}

uint32_t pprof_drop_lines(const struct pprof_drop *drop, const struct pprof_profile *profile,
                          const struct pprof_location *location)
{
    if (!drop->drop)
        return 0;
    for (uint32_t i = location->line_count; i-- > 0;) { /* the outermost first */
        uint64_t const function = profile->lines.items[location->first_line + i].function;
        if (function &&
            matches(drop, pprof_text(profile, profile->functions.items[function - 1].name)))
            return i + 1;
    }
    return 0;
}
