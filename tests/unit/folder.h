/* folder.h - a folder for each test of a file, and files in it.  Setup and teardown:
 * cmocka_unit_test_setup_teardown(name, make_folder, remove_folder). */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define IS_UNUSED __attribute__((unused))

static char folder[100];

static int make_folder(void **state)
{
    const char *top = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof(folder), "%s/memoir-test-XXXXXX", top ? top : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* Also what a test forbade itself to write. */
static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof(command), "chmod -R u+w '%s'; rm -rf '%s'", folder, folder);
    return system(command);
}

IS_UNUSED static void put(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The text of a file there; "" when there is none. */
IS_UNUSED static const char *text_of(const char *name)
{
    static char text[65536];
    char path[400];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    size_t const size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[size] = '\0';
    if (file)
        fclose(file);
    return text;
}
