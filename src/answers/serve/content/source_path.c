/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/source_path.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char *const code_endings[] = {
    "c",   "h",   "cc",   "cpp",   "cxx",   "c++",    "hh",  "hpp", "hxx", "h++",  "inl", "ipp",
    "tcc", "tpp", "inc",  "m",     "mm",    "s",      "asm", "rs",  "go",  "ml",   "mli", "mll",
    "mly", "nim", "zig",  "d",     "v",     "hs",     "lhs", "pas", "adb", "ads",  "f",   "for",
    "f77", "f90", "f95",  "f03",   "f08",   "jl",     "lua", "py",  "pyx", "pxd",  "rb",  "pl",
    "pm",  "php", "js",   "mjs",   "cjs",   "ts",     "tsx", "jsx", "vue", "erl",  "ex",  "exs",
    "clj", "lsp", "scm",  "el",    "java",  "kt",     "kts", "cs",  "fs",  "vb",   "cu",  "cuh",
    "cl",  "y",   "yy",   "l",     "ll",    "def",    "re",  "rei", "cr",  "dart", "sol", "vy",
    "gd",  "wat", "vala", "swift", "scala", "groovy",
};

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

/* One part more, or one less. */
static int apply_part(struct source_path *path, const char *part, size_t size)
{
    size_t const at = path->count ? path->starts[path->count - 1] +
                                        strlen(source_path_part(path, path->count - 1)) + 1
                                  : 0;
    if (size == 0 || (size == 1 && part[0] == '.'))
        return 0;
    if (size == 2 && part[0] == '.' && part[1] == '.') {
        path->leads_out |= path->count == 0;
        path->count -= path->count > 0;
        return 0;
    }
    if (path->count == SOURCE_PARTS_MOST || at + size + 1 > sizeof(path->text))
        return -EINVAL;
    memcpy(path->text + at, part, size);
    path->text[at + size] = '\0';
    path->starts[path->count++] = at;
    return 0;
}

static bool is_folder(const char *last)
{
    return *last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

int source_path_parse(const char *named, struct source_path *path)
{
    const char *slash = strrchr(named, '/');
    path->count = 0;
    path->is_absolute = named[0] == '/';
    path->leads_out = false;
    if (strlen(named) >= PATH_MAX || has_control(named) || is_folder(slash ? slash + 1 : named))
        return -EINVAL;
    for (const char *at = named;;) {
        size_t const size = strcspn(at, "/");
        if (apply_part(path, at, size) < 0)
            return -EINVAL;
        if (!at[size])
            break;
        at += size + 1;
    }
    return path->count ? 0 : -EINVAL;
}

bool source_path_is_code(const struct source_path *path)
{
    const char *name = source_path_part(path, path->count - 1);
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name)
        return false;
    for (size_t i = 0; i < sizeof(code_endings) / sizeof(code_endings[0]); i++)
        if (strcasecmp(dot + 1, code_endings[i]) == 0)
            return true;
    return false;
}

bool source_path_is_hidden(const struct source_path *path, size_t first)
{
    for (size_t i = first; i < path->count; i++)
        if (source_path_part(path, i)[0] == '.')
            return true;
    return false;
}
