/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define PATHS_MAX 64

static char folder[PATH_MAX];
static char paths[PATHS_MAX][PATH_MAX];

void scratch_open(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/memoir-symbols-XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    memset(paths, 0, sizeof(paths));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

void scratch_close(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int scratch_setup(void **state)
{
    (void)state;
    scratch_open();
    return 0;
}

int scratch_teardown(void **state)
{
    (void)state;
    scratch_close();
    return 0;
}

const char *scratch_path(const char *name)
{
    char wanted[PATH_MAX];
    unsigned at = 0;

    CHECK(snprintf(wanted, PATH_MAX, "%s%s%s", folder, *name ? "/" : "", name) < PATH_MAX);
    while (at < PATHS_MAX && paths[at][0] && strcmp(paths[at], wanted) != 0)
        at++;
    CHECK(at < PATHS_MAX);
    return strcpy(paths[at], wanted);
}

void scratch_write(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(scratch_path(name), "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

char *scratch_read(const char *name, size_t *size)
{
    FILE *file = fopen(scratch_path(name), "r");
    struct stat status;
    CHECK(file && fstat(fileno(file), &status) == 0);
    char *bytes = calloc(1, (size_t)status.st_size + 1);
    *size = (size_t)status.st_size;
    CHECK(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void become(const char *const *argv, const char *output)
{
    int log = open(scratch_path("log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    int out = output ? open(scratch_path(output), O_WRONLY | O_CREAT | O_TRUNC, 0600) : log;
    if (log < 0 || out < 0 || chdir(folder) < 0 || dup2(out, 1) < 0 || dup2(log, 2) < 0)
        _exit(126);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

void scratch_run_argv(const char *const *argv, const char *output)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        become(argv, output);
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0) {
        size_t size;
        char *log = scratch_read("log", &size);
        print_message("%s failed (%d):\n%s\n", argv[0], status, log);
        free(log);
    }
    CHECK(status == 0);
}

char *scratch_output_argv(const char *const *argv)
{
    size_t size;
    scratch_run_argv(argv, "output");
    return scratch_read("output", &size);
}

bool scratch_has(const char *program)
{
    char *folders = strdup(getenv("PATH")), *rest = folders, *one, candidate[PATH_MAX];
    bool found = false;
    while ((one = strsep(&rest, ":")) && !found) {
        snprintf(candidate, sizeof(candidate), "%s/%s", one, program);
        found = access(candidate, X_OK) == 0;
    }
    free(folders);
    if (!found)
        print_message("needs %s, which is not installed: skipped\n", program);
    return found;
}

void scratch_symbol(const char *file, const char *name, uint64_t *address, uint64_t *size)
{
    char *text = scratch_output("nm", "-S", file), *rest = text, *line, found[512], kind;
    bool seen = false;
    while (!seen && (line = strsep(&rest, "\n"))) {
        unsigned long at, length;
        seen = sscanf(line, "%lx %lx %c %511s", &at, &length, &kind, found) == 4 &&
               strcmp(found, name) == 0;
        if (seen) {
            *address = at;
            *size = length;
        }
    }
    free(text);
    if (!seen)
        print_message("no symbol %s in %s\n", name, file);
    CHECK(seen);
}

char *scratch_build_id(const char *file)
{
    char *text = scratch_output("readelf", "-n", file);
    char *at = strstr(text, "Build ID: ");
    CHECK(at != NULL);
    at += strlen("Build ID: ");
    char *id = strndup(at, strcspn(at, " \n"));
    free(text);
    return id;
}
