/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_drop.c - drop_frames and keep_frames: a function that matches, and all that it calls, is not shown. */
#include "formats/pprof_drop.h"

#include <stdio.h>

#define PATTERN_MAX    2048
#define NAME_MAX_BYTES 1024

/* Repetitions by number and references back can cost any amount of memory or time: nobody needs them for names. */
static bool is_harmless(struct slice pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        bool const is_reference = pattern.data[i] == '\\' && i + 1 < pattern.size &&
                                  pattern.data[i + 1] >= '0' && pattern.data[i + 1] <= '9';
        if (pattern.data[i] == '{' || pattern.data[i] == '\0' || is_reference)
            return false;
    }
    return true;
}

/* The whole name must match. */
static bool compile(const struct pprof_profile *profile, uint32_t string, regex_t *regex)
{
    char pattern[PATTERN_MAX];
    struct slice const text = pprof_text(profile, string);
    if (text.size + 8 > sizeof(pattern) || !is_harmless(text))
        return false;
    snprintf(pattern, sizeof(pattern), "^(%.*s)$", (int)text.size, text.data);
    return regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
}

void pprof_drop_init(struct pprof_drop *drop, const struct pprof_profile *profile)
{
    *drop = (struct pprof_drop){.is_used = false};
    if (!profile->drop_frames)
        return;
    drop->is_used = compile(profile, profile->drop_frames, &drop->drop);
    drop->is_bad = !drop->is_used;
    if (!drop->is_used || !profile->keep_frames)
        return;
    drop->has_keep = compile(profile, profile->keep_frames, &drop->keep);
    drop->is_bad = !drop->has_keep;
}

void pprof_drop_fini(struct pprof_drop *drop)
{
    if (drop->is_used)
        regfree(&drop->drop);
    if (drop->has_keep)
        regfree(&drop->keep);
    *drop = (struct pprof_drop){.is_used = false};
}

static bool matches(const struct pprof_drop *drop, struct slice name)
{
    char text[NAME_MAX_BYTES];
    if (name.size == 0 || name.size >= sizeof(text))
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    return regexec(&drop->drop, text, 0, NULL, 0) == 0 &&
           (!drop->has_keep || regexec(&drop->keep, text, 0, NULL, 0) != 0);
}

uint32_t pprof_drop_lines(const struct pprof_drop *drop, const struct pprof_profile *profile,
                          const struct pprof_location *location)
{
    if (!drop->is_used)
        return 0;
    for (uint32_t i = location->line_count; i-- > 0;) { /* the outermost first */
        uint64_t const function = profile->lines.items[location->first_line + i].function;
        if (function &&
            matches(drop, pprof_text(profile, profile->functions.items[function - 1].name)))
            return i + 1;
    }
    return 0;
}
