/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that libc makes for its callers are seen like any other, with the caller on the stack. */
#include "subject.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char *volatile text;

static NOINLINE void copy_text(void)
{
    text = strdup("twelve chars"); /* 13 bytes */
    KEEP_FRAME();
}

static NOINLINE int compile_pattern(void)
{
    regex_t pattern;
    if (regcomp(&pattern, "a[b-d]+(e|f)*", REG_EXTENDED) != 0)
        return 1;
    regfree(&pattern);
    return 0;
}

static NOINLINE int open_and_read(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 1;
    ssize_t length = getline(&line, &room, file);
    free(line);
    fclose(file);
    return length <= 0;
}

static NOINLINE int print_text(void)
{
    char *made = NULL;
    if (asprintf(&made, "%d bottles", 99) < 0)
        return 1;
    free(made);
    return 0;
}

int main(int argc, char **argv)
{
    copy_text();
    return compile_pattern() | open_and_read(argc > 1 ? argv[1] : argv[0]) | print_text();
}
