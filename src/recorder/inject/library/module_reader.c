/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/module_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/library/code_spots.h"
#include "inject/library/module_message.h"
#include "inject/threads/stack_look.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"

#define CPU_SECONDS 60u

struct module_reader {
    int line;
    struct target_modules modules;
    struct stack_view view; /* of the last look */
};

static void refresh(struct module_reader *reader, const int files[LINE_DESCRIPTORS_MAX],
                    struct module_answer *answer)
{
    answer->err = files[0] < 0 || files[1] < 0
                      ? -EBADF
                      : target_modules_refresh(&reader->modules, files[0], files[1]);
    answer->has_libc = target_modules_of(&reader->modules, MODULE_LIBC) != NULL;
    answer->has_own = target_modules_own(&reader->modules) != NULL;
    vec_each (module, &reader->modules.modules)
        answer->own_copies += target_module_kind(*module) == MODULE_TRACER;
    answer->has_module = target_modules_at(&reader->modules, reader->view.where) != NULL;
    reader->view.unprepared = NULL; /* may be no more */
}

static void prepare_usual(struct module_reader *reader)
{
    struct target_modules *modules = &reader->modules;
    struct target_module *libc = target_modules_of(modules, MODULE_LIBC);
    if (libc)
        target_modules_prepare(modules, libc);
    if (modules->modules.count)
        target_modules_prepare(modules, modules->modules.items[0]);
}

static uint64_t find_in_files(const struct target_modules *modules, const char *name,
                              const char *file)
{
    vec_each (module, &modules->modules) {
        const char *slash = strrchr(target_module_name(*module), '/');
        if (slash && strncmp(slash + 1, file, strlen(file)) == 0) {
            uint64_t found = target_modules_function(modules, *module, name);
            if (found)
                return found;
        }
    }
    return 0;
}

static uint64_t find_function(const struct target_modules *modules,
                              const struct module_question *question)
{
    const struct target_module *own = target_modules_own(modules);
    switch ((enum module_place)question->place) {
    case MODULE_IN_LIBC:
        return find_in_files(modules, question->name, "libc");
    case MODULE_IN_LIBDL:
        return find_in_files(modules, question->name, "libdl");
    case MODULE_IN_OWN:
        break;
    }
    return own ? target_modules_function(modules, own, question->name) : 0;
}

static uint64_t find_object(const struct target_modules *modules, const char *name)
{
    const struct target_module *own = target_modules_own(modules);
    return own ? loaded_elf_object(target_modules_reader(modules), target_module_elf(own), name)
               : 0;
}

static void look(struct module_reader *reader, const uint64_t registers[REG_COUNT],
                 struct module_answer *answer)
{
    stack_look(&reader->modules, registers, &reader->view);
    const struct target_module *module = target_modules_at(&reader->modules, reader->view.where);
    const char *name = module ? target_module_name(module) : "code of no file";
    const char *slash = strrchr(name, '/');
    snprintf(answer->where, sizeof(answer->where), "%s", slash ? slash + 1 : name);
    answer->verdict = reader->view.verdict;
    answer->frames = reader->view.frames;
    answer->is_lacking = reader->view.unprepared != NULL;
    answer->has_module = module != NULL;
}

static void answer_question(struct module_reader *reader, const struct module_question *question,
                            const int files[LINE_DESCRIPTORS_MAX], struct module_answer *answer)
{
    struct code_spots spots = {0, 0};
    switch ((enum module_order)question->order) {
    case MODULE_REFRESH:
        refresh(reader, files, answer);
        break;
    case MODULE_PREPARE_USUAL:
        prepare_usual(reader);
        break;
    case MODULE_PREPARE_LACKING:
        if (reader->view.unprepared)
            target_modules_prepare(&reader->modules, reader->view.unprepared);
        answer->has_module = target_modules_at(&reader->modules, reader->view.where) != NULL;
        break;
    case MODULE_SPOTS:
        answer->err = code_spots_find(&reader->modules, &spots);
        answer->addresses[0] = spots.call_kernel;
        answer->addresses[1] = spots.put_back;
        break;
    case MODULE_FUNCTION:
        answer->addresses[0] = find_function(&reader->modules, question);
        break;
    case MODULE_OBJECT:
        answer->addresses[0] = find_object(&reader->modules, question->name);
        break;
    case MODULE_LOOK:
        look(reader, question->registers, answer);
        break;
    }
}

static int confine(const struct module_reader_wish *wish)
{
    struct sandbox_wish const all = {.memory_bytes = SANDBOX_NO_LIMIT, .cpu_seconds = CPU_SECONDS};
    struct sandbox_report report;
    int kept[] = {wish->line, wish->memory->fd};
    int const nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0)
        return -errno;
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    sandbox_keep_open(kept, sizeof(kept) / sizeof(kept[0]));
    return sandbox_enter(&all, &report, NULL);
}

_Noreturn void module_reader_run(const struct module_reader_wish *wish)
{
    static struct module_reader reader;
    struct module_question question;
    uint64_t const memfd_device = mounted_devices_memfd();
    int descriptors[LINE_DESCRIPTORS_MAX], err = confine(wish);
    reader.line = wish->line;
    target_modules_init(&reader.modules, wish->memory);
    reader.modules.memfd_device = memfd_device;
    reader.modules.own_build_id = wish->own_build_id;
    reader.modules.own_build_id_size = wish->own_build_id_size;
    while (err == 0 &&
           line_receive(reader.line, &question, sizeof(question), descriptors) ==
               (ssize_t)sizeof(question) &&
           module_question_is_valid(&question)) {
        struct module_answer answer = {.err = 0};
        answer_question(&reader, &question, descriptors, &answer);
        for (size_t i = 0; i < LINE_DESCRIPTORS_MAX; i++)
            if (descriptors[i] >= 0)
                close(descriptors[i]);
        err = line_send(reader.line, &answer, sizeof(answer), NULL, 0);
    }
    _exit(0);
}
