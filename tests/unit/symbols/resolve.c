/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scratch.h"

static const char program[] =
    "#include <stdlib.h>\n"
    "static inline __attribute__((always_inline)) int deep(int *p, int i)\n"
    "{\n"
    "    p[i] += rand();\n"
    "    return p[i] * 3;\n"
    "}\n"
    "static inline __attribute__((always_inline)) int middle(int *p)\n"
    "{\n"
    "    int a = deep(p, 1);\n"
    "    int b = deep(p, 2);\n"
    "    return a ^ b;\n"
    "}\n"
    "__attribute__((noinline)) int outer(int *p)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < 100; i++)\n"
    "        sum += middle(p + i);\n"
    "    return sum;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    static int cells[200];\n"
    "    return outer(cells) == 1;\n"
    "}\n";

void write_c_program(void)
{
    scratch_write("program.c", program, strlen(program));
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Takes "function\nfile:line\n" off the oracle's text and compares. */
static void check_frame(char **oracle, const struct resolved *frame)
{
    char *function = strsep(oracle, "\n"), *place = strsep(oracle, "\n");
    CHECK(function && place);
    char *colon = strrchr(place, ':');
    CHECK(colon != NULL);
    *colon = '\0';
    assert_string_equal(frame->function, function);
    assert_string_equal(base_of(frame->file), base_of(place));
    assert_int_equal(frame->line, strtoul(colon + 1, NULL, 10));
}

void check_like_addr2line(struct resolver *resolver, const struct resolver_module *module,
                          const char *oracle, const char *function)
{
    uint64_t begin, size;
    scratch_symbol(oracle, function, &begin, &size);
    CHECK(size > 4 && size < 2000);
    for (uint64_t address = begin; address < begin + size; address++) {
        struct resolved frames[RESOLVED_MAX];
        char hex[32];
        snprintf(hex, sizeof(hex), "%#lx", (unsigned long)address);
        char *text = scratch_output("addr2line", "-i", "-f", "-C", "-e", oracle, hex), *rest = text;
        size_t count = resolver_lookup(resolver, module, address, frames);
        CHECK(count > 0);
        for (size_t i = 0; i < count; i++)
            check_frame(&rest, &frames[i]);
        assert_string_equal(rest, "");
        free(text);
    }
}

bool finds_chain(struct resolver *resolver, const struct resolver_module *module,
                 const char *oracle, const char *function, const char *const *chain)
{
    uint64_t begin, size;
    scratch_symbol(oracle, function, &begin, &size);
    for (uint64_t address = begin; address < begin + size; address++) {
        struct resolved frames[RESOLVED_MAX];
        size_t count = resolver_lookup(resolver, module, address, frames), same = 0;
        for (; same < count && chain[same]; same++) {
            char text[1024];
            snprintf(text, sizeof(text), "%s %s:%u", frames[same].function,
                     base_of(frames[same].file), frames[same].line);
            if (strcmp(text, chain[same]) != 0)
                break;
        }
        if (same == count && !chain[same])
            return true;
    }
    return false;
}
