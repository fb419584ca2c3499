/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/invoked_path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define WORD_MAX 1024

struct invoked_search {
    uint32_t pid; /* whose files they are; 0: ours */
    struct stat executable;
    char found[PATH_MAX]; /* "": nothing yet */
};

/* About an absolute path of the process. */
static bool look_there(const struct invoked_search *search, const char *path, struct stat *about)
{
    return (search->pid ? proc_stat_below(search->pid, path, about) : stat(path, about)) == 0;
}

/* Takes FOLDER/NAME if it leads to the executable. */
static bool try_path(struct invoked_search *search, const char *folder, size_t length,
                     const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    if (length == 0 || folder[0] != '/' ||
        snprintf(path, sizeof(path), "%.*s/%s", (int)length, folder, name) >= (int)sizeof(path))
        return false;
    if (!look_there(search, path, &about) || about.st_ino != search->executable.st_ino ||
        about.st_dev != search->executable.st_dev)
        return false;
    snprintf(search->found, sizeof(search->found), "%s", path);
    return true;
}

/* Where a word with a slash in it leads. */
static bool try_word(struct invoked_search *search, const char *word, const char *slash)
{
    char folder[PATH_MAX], full[2 * PATH_MAX];
    if (word[0] == '/')
        return try_path(search, word, (size_t)(slash - word), slash + 1);
    bool const is_known = search->pid
                              ? proc_read_link(search->pid, PROC_CWD, folder, sizeof(folder)) > 0
                              : getcwd(folder, sizeof(folder)) != NULL;
    if (!is_known || strcmp(folder, "/") == 0)
        folder[0] = '\0'; /* "/" has a slash already */
    while (strncmp(word, "./", 2) == 0)
        word += 2;
    snprintf(full, sizeof(full), "%s/%.*s", folder, (int)(slash > word ? slash - word : 0), word);
    size_t size = strlen(full);
    while (size > 1 && full[size - 1] == '/')
        size--;
    return try_path(search, full, size, slash + 1);
}

/* In the folder of the executable, and where a shell would look. */
static bool try_name(struct invoked_search *search, const char *program, const char *name)
{
    const char *slash = strrchr(program, '/');
    const char *path = getenv("PATH");
    if (!*name || (slash && try_path(search, program, (size_t)(slash - program), name)))
        return *name != '\0';
    while (path && *path) {
        size_t const length = strcspn(path, ":");
        if (try_path(search, path, length, name))
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static struct {
    char program[PATH_MAX], invoked[PATH_MAX];
} remembered;

void program_invoked_path(const char *program, const char *word, uint32_t pid, char *path,
                          size_t size)
{
    struct invoked_search search = {.pid = pid};
    char name[WORD_MAX];
    if (pid == 0 && remembered.program[0] && strcmp(program, remembered.program) == 0) {
        snprintf(path, size, "%s", remembered.invoked);
        return;
    }
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, " :"), word); /* may be a title */
    const char *slash = strrchr(name, '/');
    snprintf(path, size, "%s", program);
    if (look_there(&search, program, &search.executable) &&
        ((slash && try_word(&search, name, slash)) ||
         try_name(&search, program, slash ? slash + 1 : name)))
        snprintf(path, size, "%s", search.found);
}

void program_invoked_remember(const char *path, const char *word)
{
    char program[PATH_MAX];
    remembered.program[0] = '\0';
    if (!realpath(path, program))
        return;
    program_invoked_path(program, word, 0, remembered.invoked, sizeof(remembered.invoked));
    snprintf(remembered.program, sizeof(remembered.program), "%s", program);
}

void process_invoked_path(uint32_t pid, char *path, size_t size)
{
    char program[PATH_MAX], words[WORD_MAX];
    process_program_path(pid, program, sizeof(program));
    process_command_line(pid, words, sizeof(words)); /* the first of them is enough */
    program_invoked_path(program, words, pid, path, size);
}
