/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/frame_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "base/rust_hash.h"

static struct slice bare_name(const struct recording *recording, string_id path)
{
    static const char deleted[] = " (deleted)";
    struct slice name = slice_of(path_basename(recording_text(recording, path)));
    size_t const mark = sizeof(deleted) - 1;
    if (name.size > mark && memcmp(name.data + name.size - mark, deleted, mark) == 0)
        name.size -= mark;
    return name;
}

struct slice frame_executable(const struct recording *recording, const struct page_frame *frame)
{
    return frame->path ? bare_name(recording, frame->path) : slice_of(NO_FILE);
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_rust(const char *symbol)
{
    return has_prefix(symbol, "_R") || (has_prefix(symbol, "_ZN") && rust_hash(symbol).size > 0);
}

static bool has_trait(const struct recording *recording, const struct page_frame *frame,
                      enum trait_kind kind)
{
    vec_each (trait, &recording->traits)
        if (trait->kind == kind &&
            slice_equals(bare_name(recording, trait->where), frame_executable(recording, frame)))
            return true;
    return false;
}

/* "add_u42": Nim numbers its functions. */
static bool is_nim(const char *symbol)
{
    const char *mark = strrchr(symbol, '_');
    return mark && mark[1] == 'u' && mark[2] && mark[2 + strspn(mark + 2, "0123456789")] == '\0';
}

const char *frame_language(const struct recording *recording, const struct page_frame *frame)
{
    const char *symbol = recording_text(recording, frame->symbol);
    if (!frame->path)
        return frame->function ? NULL : "jit";
    if (is_rust(symbol))
        return "rust";
    if (has_prefix(symbol, "_Z"))
        return "cpp";
    if (has_prefix(symbol, "caml") && isupper((unsigned char)symbol[4]))
        return "ocaml";
    if (strchr(symbol, '.') && has_trait(recording, frame, TRAIT_GO))
        return "go";
    if (is_nim(symbol) && has_trait(recording, frame, TRAIT_NIM))
        return "nim";
    return *symbol ? "c" : NULL;
}

const char *frame_category(const struct recording *recording, const struct page_frame *frame)
{
    if (!frame->path || !slice_equals(bare_name(recording, recording_own_path(recording)),
                                      frame_executable(recording, frame)))
        return "systemLib";
    return is_rust(recording_text(recording, frame->symbol)) ? "nodeRust" : "nodeCpp";
}

const char *frame_function(const struct recording *recording, const struct page_frame *frame,
                           char *name, size_t room)
{
    const char *symbol = recording_text(recording, frame->symbol);
    const char *function = recording_text(recording, frame->function);
    struct slice const hash = is_rust(symbol) ? rust_hash(symbol) : (struct slice){symbol, 0};
    if (!*function && !*symbol)
        return NULL;
    if (!*function || !hash.size)
        return *function ? function : symbol;
    size_t const length = strlen(function);
    if (length >= hash.size && memcmp(function + length - hash.size, hash.data, hash.size) == 0)
        return function;
    snprintf(name, room, "%s::%.*s", function, (int)hash.size, hash.data);
    return name;
}
