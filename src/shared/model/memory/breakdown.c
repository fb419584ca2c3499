/* SPDX-License-Identifier: Apache-2.0 */
#include "model/memory/breakdown.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"

void breakdown_fini(struct breakdown *breakdown)
{
    vec_each (text, &breakdown->texts)
        free(*text);
    vec_each (inside, &breakdown->insides)
        vec_free(&inside->numbers);
    vec_free(&breakdown->texts);
    vec_free(&breakdown->notes);
    vec_free(&breakdown->insides);
    vec_free(&breakdown->regions);
    vec_free(&breakdown->region_leaves);
    vec_free(&breakdown->folded);
    vec_free(&breakdown->claims);
    vec_free(&breakdown->leaves);
}

static const char *keep_text(struct breakdown *breakdown, const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        return NULL;
    if (vec_push(&breakdown->texts, text))
        return text;
    free(text);
    return NULL;
}

const char *breakdown_text(struct breakdown *breakdown, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = keep_text(breakdown, format, arguments);
    va_end(arguments);
    return text ? text : "";
}

bool breakdown_note(struct breakdown *breakdown, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = keep_text(breakdown, format, arguments);
    va_end(arguments);
    return text && vec_push(&breakdown->notes, text);
}

struct inside_view *breakdown_inside(struct breakdown *breakdown, const char *runtime)
{
    struct inside_view view = {.version = ""};
    snprintf(view.runtime, sizeof(view.runtime), "%s", runtime);
    return vec_push(&breakdown->insides, view)
               ? &breakdown->insides.items[breakdown->insides.count - 1]
               : NULL;
}

void inside_bytes(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source)
{
    (void)vec_push(&view->numbers, (struct inside_number){name, text, source, value, false});
}

void inside_count(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source)
{
    (void)vec_push(&view->numbers, (struct inside_number){name, text, source, value, true});
}

struct memory_bytes breakdown_section_sum(const struct breakdown *breakdown,
                                          enum breakdown_section section)
{
    INVARIANT(section < SECTIONS);
    struct memory_bytes sum = {0};
    vec_each (leaf, &breakdown->leaves)
        if (leaf->section == section)
            memory_bytes_add(&sum, &leaf->bytes);
    return sum;
}

uint64_t breakdown_region_count(const struct breakdown *breakdown)
{
    uint64_t count = breakdown->regions.count;
    vec_each (folded, &breakdown->folded)
        count += folded->count;
    return count;
}

bool breakdown_has_folded(const struct breakdown *breakdown, uint64_t start, uint64_t end)
{
    vec_each (folded, &breakdown->folded)
        if (folded->sum.start < end && start < folded->sum.end)
            return true;
    return false;
}

const char *breakdown_section_key(enum breakdown_section section)
{
    INVARIANT(section < SECTIONS);
    static const char *const keys[SECTIONS] = {
        [SECTION_RUNTIME] = "runtime",     [SECTION_ALLOCATOR] = "allocator",
        [SECTION_STACKS] = "stacks",       [SECTION_NAMED] = "named",
        [SECTION_FILE] = "file",           [SECTION_SHARED] = "shared",
        [SECTION_ANONYMOUS] = "anonymous", [SECTION_OTHER] = "other",
    };
    return keys[section];
}

const char *breakdown_evidence_key(enum breakdown_evidence evidence)
{
    INVARIANT(evidence < EVIDENCES);
    static const char *const keys[] = {
        [EVIDENCE_REGISTRY] = "registry",   [EVIDENCE_RUNTIME] = "runtime",
        [EVIDENCE_ALLOCATOR] = "allocator", [EVIDENCE_THREAD] = "thread",
        [EVIDENCE_SHAPE] = "shape",         [EVIDENCE_USER] = "user",
        [EVIDENCE_NAME] = "name",           [EVIDENCE_KERNEL] = "kernel",
    };
    return keys[evidence];
}

void name_without_number(const char *name, size_t size, char *text, size_t room)
{
    for (; size && *name == ' '; size--)
        name++;
    size_t digits = size;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool const numbered = digits < size && digits > 0;
    snprintf(text, room, "%.*s%s", (int)(numbered ? digits : size), name, numbered ? "*" : "");
}
