/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_doctor_process.c - `memoir doctor PID`: whether a process can be attached to, and why not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/human.h"
#include "capture/programs/program_traits.h"
#include "capture/programs/target_check.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/doctor_options.h"
#include "cli/record/record_commands.h"
#include "doctor/process_checkup.h"
#include "foreign/foreign_file.h"
#include "procfs/process/executable_facts.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_libc.h"
#include "procfs/process/process_status.h"
#include "report/text/doctor_report.h"
#include "serve/targets/find_recording.h"

static void examine_status(struct process_examined *process)
{
    struct process_status status = {0};
    if (process_status_read(process->pid, 0, &status) < 0)
        return;
    snprintf(process->name, sizeof(process->name), "%s", status.name);
    process->user = status.user;
    process->our_user = getuid();
    process->state = status.state;
    process->tracer = status.tracer;
    process->seccomp = (unsigned)status.seccomp;
    process->inner_pid = status.inner_pid;
}

static void examine_program(struct process_examined *process)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_PROGRAM_MAX};
    (void)proc_read_link(process->pid, PROC_EXE, process->path, sizeof(process->path));
    int const fd = foreign_program_open(process->pid, &limits, NULL);
    if (fd < 0)
        return;
    struct executable_facts const facts = executable_facts_read(fd);
    close(fd);
    process->bits = facts.bits;
    process->is_static = facts.bits == 64 && !facts.interpreter[0];
    snprintf(process->loader, sizeof(process->loader), "%.127s", facts.interpreter);
    process_libc(process->pid, process->libc, sizeof(process->libc));
}

static bool sees_namespaces(uint32_t pid)
{
    struct stat status;
    return proc_stat(pid, 0, PROC_NS_MNT, &status) == 0;
}

/* Whether a namespace of it is another one than ours; false when we may not know. */
static bool differs(uint32_t pid, const char *name)
{
    char path[64];
    struct stat theirs, ours;
    snprintf(path, sizeof(path), "/proc/%u/ns/%s", pid, name);
    if (stat(path, &theirs) < 0)
        return false;
    snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
    return stat(path, &ours) == 0 && theirs.st_ino != ours.st_ino;
}

/* The runtimes and allocators in it, as a recording would name them. */
static void examine_runtimes(struct process_examined *process)
{
    struct recording *recording = recording_create();
    char path[64];
    size_t at = 0;
    if (!recording)
        return;
    snprintf(path, sizeof(path), "/proc/%u/exe", process->pid);
    recording->program = recording_intern(recording, path);
    struct program_traits traits = {.pid = process->pid, .root = ""};
    program_traits_look(&traits, recording);
    vec_each (trait, &recording->traits) {
        int const added = snprintf(
            process->runtimes + at, sizeof(process->runtimes) - at, "%s%s%s", at ? "; " : "",
            trait_name(trait->kind),
            trait->in_executable && trait_is_allocator(trait->kind) ? " in the executable" : "");
        if (added < 0 || (size_t)added >= sizeof(process->runtimes) - at)
            break;
        at += (size_t)added;
    }
    recording_destroy(recording);
}

static void examine(struct process_examined *process)
{
    struct found_recording found;
    struct fault fault = {.text = ""};
    examine_status(process);
    examine_program(process);
    examine_runtimes(process);
    process->knows_namespaces = sees_namespaces(process->pid);
    process->other_mounts = differs(process->pid, "mnt");
    process->other_pids = differs(process->pid, "pid");
    process->other_users = differs(process->pid, "user");
    if (find_recording(process->pid, &found, NULL) == 0)
        snprintf(process->recording, sizeof(process->recording), "%.199s", found.path);
    found_recording_close(&found);
    if (target_check((pid_t)process->pid, &fault) < 0)
        snprintf(process->obstacle, sizeof(process->obstacle), "%s", fault.text);
}

int cmd_doctor_process(int argc, char **argv)
{
    struct doctor_options options = {0};
    const struct option_set sets[] = {{"Options", doctor_rules, &options}};
    struct process_examined process = {0};
    struct checkup checkup = {.count = 0};
    char heading[160];
    uint64_t pid = 0;
    int status;
    struct command_help const help = doctor_help(sets);
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1 || human_parse_count(argv[1], &pid) < 0 || pid == 0 || pid > INT32_MAX) {
        fprintf(stderr, "memoir doctor: \"%s\" is not a PID; give a number\n",
                words ? argv[1] : "");
        return 2;
    }
    process.pid = (uint32_t)pid;
    examine(&process);
    if (!process.name[0]) {
        fprintf(stderr, "memoir doctor: there is no process %u; `ps -ef` lists all processes\n",
                process.pid);
        return 1;
    }
    doctor_read_pages(&process.pages, &options);
    process_checkup_judge(&checkup, &process);
    snprintf(heading, sizeof(heading), "%s (pid %u)", process.name, process.pid);
    struct doctor_page const page = {&checkup, heading, MEMOIR_VERSION};
    status = doctor_answer(&page, &options);
    return status ? status : process.obstacle[0] ? 1 : 0;
}
