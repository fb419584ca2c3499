/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/known_names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/own_path.h"
#include "base/vec.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "symbols/namer/cache_folder.h"
#include "symbols/namer/name_cache.h"
#include "symbols/namer/name_message.h"

#define MODULES_MAX 128u

struct system_module {
    char *path, *build_id;
    struct cached_names *names; /* NULL: not one of the system's */
};

struct known_names {
    int folder; /* of the cache; -1: none, or not opened yet */
    bool is_opened;
    struct name_client *namer;
    VEC(struct system_module) modules;
    struct cached_names *asked; /* of the module that the namer is asked about */
};

/* Not /usr/local, which is for others on many systems. */
static const char *const places[] = {"/usr/bin/",   "/usr/sbin/",  "/usr/lib/", "/usr/lib32/",
                                     "/usr/lib64/", "/usr/libx32", "/lib/",     "/lib64/",
                                     "/bin/",       "/sbin/"};

static bool is_in_place(const char *path)
{
    if (strstr(path, "/.."))
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (strncmp(path, places[i], strlen(places[i])) == 0)
            return true;
    return false;
}

static bool is_of_system(int fd, struct stat *about)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t const size = readlink(link, path, sizeof(path) - 1);
    if (size <= 0 || fstat(fd, about) < 0)
        return false;
    path[size] = '\0';
    return S_ISREG(about->st_mode) && about->st_uid == 0 &&
           !(about->st_mode & (S_IWGRP | S_IWOTH)) && is_in_place(path) && own_path_stays(path);
}

/* Files for the namer.  What is not the system's is refused: another namer will be asked. */
static int open_for_namer(void *context, const struct foreign_request *request)
{
    struct cached_names *names = ((struct known_names *)context)->asked;
    struct stat about;
    if (request->kind != FOREIGN_BELOW || request->root[0] != '\0' || request->refuses_link) {
        cached_names_spoil(names);
        return -EACCES;
    }
    int const fd = foreign_request_serve(request);
    if (fd == -ENOENT || fd == -ENOTDIR) {
        cached_names_note_file(names, request->path, NULL);
        return fd;
    }
    if (fd >= 0 && foreign_is_elf(fd) && is_of_system(fd, &about)) {
        cached_names_note_file(names, request->path, &about);
        return fd;
    }
    cached_names_spoil(names);
    if (fd >= 0)
        close(fd);
    return -EACCES;
}

struct known_names *known_names_create(void)
{
    struct known_names *known = calloc(1, sizeof(*known));
    struct name_client *namer = known ? name_client_create(NULL) : NULL;
    if (!namer) {
        free(known);
        return NULL;
    }
    known->folder = -1;
    known->namer = namer;
    name_client_open_by(namer, open_for_namer, known);
    return known;
}

void known_names_destroy(struct known_names *known)
{
    if (!known)
        return;
    name_client_destroy(known->namer);
    vec_each (module, &known->modules) {
        if (module->names)
            cached_names_close(module->names, known->folder);
        free(module->path);
        free(module->build_id);
    }
    vec_free(&known->modules);
    if (known->folder >= 0)
        close(known->folder);
    free(known);
}

/* A server of debug files can have another file any time. */
static void open_cache(struct known_names *known)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    known->is_opened = true;
    if (!servers || servers[0] == '\0')
        known->folder = cache_folder_open();
}

static struct cached_names *load(struct known_names *known, const struct resolver_module *wanted)
{
    struct stat about;
    int const fd = open(wanted->path, O_PATH | O_CLOEXEC);
    bool const is_systems = fd >= 0 && is_of_system(fd, &about);
    if (fd >= 0)
        close(fd);
    return is_systems ? cached_names_load(known->folder, name_client_program(), wanted->path,
                                          wanted->build_id)
                      : NULL;
}

/* NULL if the module is not for us. */
static struct cached_names *find_module(struct known_names *known,
                                        const struct resolver_module *wanted)
{
    vec_each (module, &known->modules)
        if (strcmp(module->path, wanted->path) == 0 &&
            strcmp(module->build_id, wanted->build_id) == 0)
            return module->names;
    if (known->modules.count == MODULES_MAX)
        return NULL;
    struct system_module module = {.path = strdup(wanted->path),
                                   .build_id = strdup(wanted->build_id)};
    if (module.path && module.build_id && vec_push(&known->modules, module))
        return known->modules.items[known->modules.count - 1].names = load(known, wanted);
    free(module.path);
    free(module.build_id);
    return NULL;
}

bool known_names_may_have(const struct resolver_module *module)
{
    return module->build_id[0] != '\0' && is_in_place(module->path);
}

bool known_names_ask(struct known_names *known, const struct resolver_module *module,
                     const uint64_t *addresses, size_t count, struct name_answer *answer)
{
    struct resolver_module const here = {module->path, "", module->build_id};
    *answer = (struct name_answer){0};
    if (!known_names_may_have(module))
        return false;
    if (!known->is_opened)
        open_cache(known);
    struct cached_names *names = known->folder >= 0 ? find_module(known, module) : NULL;
    if (!names || cached_names_are_spoiled(names))
        return false;
    if (cached_names_find(names, addresses[0], answer))
        return true;
    known->asked = names;
    name_client_ask(known->namer, &here, addresses, count, answer);
    if (!cached_names_are_spoiled(names) && (answer->count > 0 || answer->into_function > 0)) {
        cached_names_add(names, addresses[0], answer);
        return true;
    }
    free(answer->names);
    *answer = (struct name_answer){0};
    return false;
}

void known_names_rest(struct known_names *known)
{
    name_client_rest(known->namer);
}

uint64_t known_names_worked_ns(const struct known_names *known)
{
    return name_client_worked_ns(known->namer);
}

void known_names_set_nice(struct known_names *known, int nice)
{
    name_client_set_nice(known->namer, nice);
}

static int answer_all(struct known_names *known, int line, const struct name_question *question)
{
    struct resolver_module const module = {question->path, question->root, question->build_id};
    int err = 0;
    for (uint32_t i = 0; i < question->count && !err; i++) {
        struct name_answer answer;
        uint64_t worked_ns, memory_bytes;
        (void)known_names_ask(known, &module, &question->addresses[i], question->count - i,
                              &answer);
        name_client_cost(&worked_ns, &memory_bytes);
        err = name_answer_send(line, &answer, memory_bytes, worked_ns);
        free(answer.names);
    }
    return err;
}

void known_names_serve(int line)
{
    static struct name_question question;
    sandbox_close_others(line);
    prctl(PR_SET_NAME, "memoir-names");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct known_names *known = known_names_create();
    int err = known ? 0 : -ENOMEM;
    while (!err &&
           line_receive(line, &question, sizeof(question), NULL) == (ssize_t)sizeof(question) &&
           name_question_is_valid(&question)) {
        known_names_set_nice(known, question.nice);
        if (question.order == NAME_REST)
            known_names_rest(known);
        else
            err = answer_all(known, line, &question);
    }
    known_names_destroy(known);
}
