/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/rust_hash.h"
#include "base/vec.h"

#define READABLE_MAX (64 * 1024)
#define MANGLED_MAX  (32 * 1024)
#define D_NAME_MAX   2048 /* the D demangler has no callback: bound its work by its input */

struct sink {
    VEC(char) text;
    jmp_buf too_long;
};

/* libiberty's callback demanglers keep everything on their stack and cannot be told to stop, so
 * leaving them by a jump is both the only way and a safe one. */
static void append(const char *piece, size_t size, void *opaque)
{
    struct sink *sink = opaque;
    if (size == 0) /* an empty piece may come as NULL */
        return;
    if (sink->text.count + size > READABLE_MAX || !vec_reserve(&sink->text, size + 1))
        longjmp(sink->too_long, 1);
    memcpy(sink->text.items + sink->text.count, piece, size);
    sink->text.count += size;
}

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

/* Apart from run, so that no local of a function that jumps is read after the jump. */
static bool fill(struct sink *sink, demangler into, const char *symbol)
{
    if (setjmp(sink->too_long) != 0)
        return false;
    return into(symbol, DMGL_PARAMS | DMGL_ANSI, append, sink) != 0;
}

static char *run(demangler into, const char *symbol)
{
    struct sink *sink = calloc(1, sizeof(*sink));

    if (!sink)
        return NULL;
    char *readable = NULL;
    if (fill(sink, into, symbol) && sink->text.count > 0) {
        readable = sink->text.items;
        readable[sink->text.count] = '\0';
    } else {
        vec_free(&sink->text);
    }
    free(sink);
    return readable;
}

static int hex_digit(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* camlList_utils__loop_271: the parts are joined by two underscores or, later, by a dot; other
 * letters are $ and two digits; at the end stands a number. */
static char *demangle_ocaml(const char *symbol)
{
    const char *from = symbol + 4;
    size_t length = strlen(from), digits = 0, size = 0;
    while (digits < length && isdigit((unsigned char)from[length - digits - 1]))
        digits++;
    if (digits > 0 && digits + 1 < length && from[length - digits - 1] == '_')
        length -= digits + 1;
    char *readable = malloc(length + 1);
    if (!readable)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        int const high = from[i] == '$' && i + 2 < length ? hex_digit(from[i + 1]) : -1;
        int const low = high >= 0 ? hex_digit(from[i + 2]) : -1;
        if (low >= 0 && isprint(high << 4 | low)) {
            readable[size++] = (char)(high << 4 | low);
            i += 2;
        } else if (from[i] == '_' && i + 2 < length && from[i + 1] == '_' && size > 0) {
            readable[size++] = '.';
            i++;
        } else {
            readable[size++] = from[i];
        }
    }
    readable[size] = '\0';
    return readable;
}

char *demangle(const char *symbol)
{
    if (strncmp(symbol, "caml", 4) == 0 && isupper((unsigned char)symbol[4]) &&
        strlen(symbol) <= MANGLED_MAX)
        return demangle_ocaml(symbol);
    if (symbol[0] != '_' || strlen(symbol) > MANGLED_MAX)
        return NULL;
    if (symbol[1] == 'R')
        return run(rust_demangle_callback, symbol);
    if (symbol[1] == 'Z' && rust_hash(symbol).size > 0) {
        char *readable = run(rust_demangle_callback, symbol);
        if (readable)
            return readable;
    }
    if (symbol[1] == 'Z' || strncmp(symbol, "_GLOBAL_", 8) == 0)
        return run(cplus_demangle_v3_callback, symbol);
    if (symbol[1] == 'D' && (isdigit((unsigned char)symbol[2]) || strcmp(symbol, "_Dmain") == 0))
        return strlen(symbol) <= D_NAME_MAX ? dlang_demangle(symbol, DMGL_PARAMS) : NULL;
    return NULL;
}
