/* SPDX-License-Identifier: Apache-2.0 */
/* memoir-record names: looks up names for `memoir`, which does not link what that takes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/record_commands.h"
#include "formats/open/name_lines.h"
#include "symbols/lookup/resolver.h"

static void print_text(const char *text, char after)
{
    for (; *text; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
    putchar(after);
}

static void answer(struct resolver *resolver, const char *path, const char *build_id,
                   uint64_t address)
{
    struct resolver_module const module = {.path = path, .root = "", .build_id = build_id};
    struct resolved names[RESOLVED_MAX];
    size_t const count = resolver_lookup(resolver, &module, address, names);
    printf("%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        printf("%" PRIu32 "\t", names[i].line);
        print_text(names[i].file, '\t');
        print_text(names[i].symbol, '\t');
        print_text(names[i].function, '\n');
    }
}

int cmd_names(int argc, char **argv)
{
    (void)argv;
    struct resolver *resolver = argc == 1 ? resolver_create() : NULL;
    char *line = NULL, *path;
    size_t room = 0;
    ssize_t size;
    if (!resolver) {
        fprintf(stderr,
                "memoir-record %s: reads \"ADDRESS BUILD PATH\" lines from standard input\n",
                NAME_COMMAND);
        return 2;
    }
    while ((size = getline(&line, &room, stdin)) > 0) {
        line[size - (line[size - 1] == '\n')] = '\0';
        uint64_t const address = strtoull(line, &path, 16);
        path += *path == ' ';
        const char *build = strsep(&path, " ");
        answer(resolver, path ? path : "", strcmp(build, "-") == 0 ? "" : build, address);
    }
    free(line);
    resolver_destroy(resolver);
    return fflush(stdout) == 0 ? 0 : 1;
}
