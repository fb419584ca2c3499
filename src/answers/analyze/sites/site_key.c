/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/site_key.h"

#include <stdio.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"

void site_text_add(struct site_text *text, const char *data, size_t size)
{
    if (text->failed || size == 0)
        return;
    if (text->room - text->size < size) {
        void *grown = vec_grow_items(text->data, &text->room, text->size + size, 1);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->data = grown;
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

size_t site_module_length(const char *basename)
{
    const char *so = strstr(basename, ".so.");
    return so ? (size_t)(so - basename) + strlen(".so") : strlen(basename);
}

size_t site_function_length(const char *function)
{
    static const char *const clones[] = {" [clone ", ".constprop.", ".isra.",    ".part.",
                                         ".cold",    ".llvm.",      ".lto_priv."};
    size_t length = strlen(function);
    for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
        const char *at = strstr(function, clones[i]);
        if (at && at > function && (size_t)(at - function) < length)
            length = (size_t)(at - function);
    }
    return length;
}

bool site_is_nameless(const char *function, const char *module_basename)
{
    size_t length = strlen(module_basename);
    if (length == 0)
        return strncmp(function, "0x", 2) == 0;
    return strncmp(function, module_basename, length) == 0 &&
           strncmp(function + length, "+0x", 3) == 0;
}

/* The build id of a module by its path; "" when unknown. */
static const char *build_id_of(const struct recording *recording, const char *basename)
{
    for (size_t i = 0; i < recording->modules.count; i++) {
        const struct module *module = &recording->modules.items[i];
        if (strcmp(path_basename(recording_text(recording, module->path)), basename) == 0)
            return recording_text(recording, module->build_id);
    }
    return "";
}

static bool same_build(const struct site_rule *rule, const char *basename)
{
    if (rule->recording == rule->other)
        return true;
    const char *here = build_id_of(rule->recording, basename);
    return *here && strcmp(here, build_id_of(rule->other, basename)) == 0;
}

void site_key_add(struct site_text *text, const struct site_rule *rule,
                  const struct shown_frame *frame)
{
    const char *module = path_basename(recording_text(rule->recording, frame->module));
    const char *function = recording_text(rule->recording, frame->function);
    site_text_add(text, module, site_module_length(module));
    site_text_add(text, "", 1); /* a NUL, which no name has */
    if (!rule->module_only) {
        if (site_is_nameless(function, module) && !same_build(rule, module))
            site_text_add(text, "+?", 2);
        else
            site_text_add(text, function, site_function_length(function));
    }
    if (rule->lines) {
        char line[16];
        const char *file = path_basename(recording_text(rule->recording, frame->file));
        site_text_add(text, "", 1);
        site_text_add(text, file, strlen(file));
        site_text_add(text, line, (size_t)snprintf(line, sizeof(line), ":%u", frame->line));
    }
    site_text_add(text, "", 1);
}
