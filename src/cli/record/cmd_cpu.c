/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "capture/outside/outside_recorder.h"
#include "capture/sessions/cpu_cells.h"
#include "cli/record/outside_options.h"
#include "cli/shared/parse_pid.h"
#include "cli/record/process_choice.h"
#include "cli/record/record_commands.h"
#include "cli/record/wish_options.h"
#include "cpu/clock_events.h"
#include "cpu/cpu_station.h"
#include "procfs/process/process_status.h"
#include "report/rows/stack_shares.h"
#include "wire/agent.h"

static void say_samples(const struct recording *recording)
{
    const struct timing *timing = &recording->timing;
    char samples[HUMAN_MAX], used[HUMAN_MAX], lost[HUMAN_MAX];
    if (timing->hz == 0)
        return;
    fprintf(stderr, "%s samples at %llu Hz", human_count((int64_t)timing->samples, samples),
            (unsigned long long)timing->hz);
    if (timing->cpu_ns > 0)
        fprintf(stderr, " of %s on a processor", human_duration(timing->cpu_ns, used));
    if (timing->lost > 0)
        fprintf(stderr, ", %s lost", human_count((int64_t)timing->lost, lost));
    fputs("; ", stderr);
}

/* Says on stderr how much time `recording` has, and how well it is known. */
static void say_timing(const struct recording *recording)
{
    const struct timing *timing = &recording->timing;
    struct text_line shares = {0};
    char waits[HUMAN_MAX], waited[HUMAN_MAX];
    fprintf(stderr, "memoir: %s", recording_text(recording, recording->program));
    if (recording->pid)
        fprintf(stderr, " (pid %u)", recording->pid);
    fputs(": ", stderr);
    say_samples(recording);
    if (timing->waits > 0)
        fprintf(stderr, "%s waits of %s together; ", human_count((int64_t)timing->waits, waits),
                human_duration(timing->wait_ns, waited));
    fprintf(stderr, "%s\n", stack_shares_add(&shares, recording) ? shares.text : "no stacks");
    for (size_t i = 0; i < recording->notes.count; i++)
        fprintf(stderr, "memoir: %s\n", recording_text(recording, recording->notes.items[i]));
}

struct cpu_command {
    struct outside_recorder_options recorder;
    struct cpu_station_options station;
    struct process_choice choice;
    struct serve_helper serve;
    bool each; /* a recording each */
    char title[256];
    char seen_cgroup
        [CGROUP_FOLDER_MAX]; /* that the kernel picks out, for as long as it is recorded */
};

static int parse_pids(void *into, const char *name, const char *value, struct fault *fault)
{
    struct cpu_command *command = into;
    char numbers[1024], *rest = NULL;
    (void)name;
    snprintf(numbers, sizeof(numbers), "%s", value);
    for (char *word = strtok_r(numbers, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        pid_t pid;
        if (parse_pid(word, &pid) < 0)
            return fault_set(fault, -EINVAL, "%s is not a PID; give a number, or --name %s", word,
                             word);
        if (!vec_push(&command->recorder.fixed.pids, (uint32_t)pid))
            return -ENOMEM;
    }
    return 0;
}

static int handle_agent(void *into, const char *name, const char *value, struct fault *fault)
{
    struct cpu_command *command = into;
    (void)name, (void)fault;
    command->station.socket = value;
    command->station.source = CPU_SOURCE_AGENT;
    return 0;
}

static const char *const source_names[] = {
    [CPU_SOURCE_ANY] = "any", [CPU_SOURCE_AGENT] = "agent", [CPU_SOURCE_PERF] = "perf", NULL};

static const struct option_rule rules[] = {
    {"-p", "PID", "record this process; several with commas, or repeat -p",
     OPTION_CALLBACK(parse_pids)},
    {"-a", NULL, "record everything that runs on this machine, without idle time",
     OPTION_FLAG(struct cpu_command, station.whole_machine)},
    {"--hz", "HZ", "samples a second (99), at most 997",
     OPTION_COUNT(struct cpu_command, station.hz, 1, CPU_HZ_MAX)},
    {"--off-cpu", NULL, "also record the time that threads wait, by stack and kind of wait",
     OPTION_FLAG(struct cpu_command, station.off_cpu)},
    {"--waits-only", NULL, "record only waiting time",
     OPTION_VALUE(struct cpu_command, station.hz, 0),
     OPTION_ALSO(struct cpu_command, station.off_cpu)},
    {"--no-kernel", NULL, "leave out frames inside the kernel",
     OPTION_FLAG(struct cpu_command, station.no_kernel)},
    {"--children", NULL, "also record child processes",
     OPTION_FLAG(struct cpu_command, station.children)},
    {"--each", NULL, "write one recording per process instead of one for all",
     OPTION_FLAG(struct cpu_command, each)},
    {"--agent", "PATH", "socket of memoir agent (" AGENT_SOCKET_PATH ")",
     OPTION_CALLBACK(handle_agent)},
    {"--source", "WHICH",
     "where samples come from: any (default), agent, or perf (perf events of the kernel)",
     OPTION_CHOICE(struct cpu_command, station.source, source_names)},
    {.name = NULL}};

static void say_end(const struct outside_recorder_options *options,
                    const struct recording *recording, const char *path)
{
    if (options->wish.quiet)
        return;
    say_timing(recording);
    fprintf(stderr, "memoir: recorded to %s; memoir report %s, memoir flame %s\n", path, path,
            path);
}

/* What the one recording of several is called. */
static void make_title(struct cpu_command *command)
{
    const struct process_choice *choice = &command->choice;
    const struct pid_list *fixed = &command->recorder.fixed;
    const char *rule = choice->name ? choice->name : choice->container;
    if (command->station.whole_machine)
        snprintf(command->title, sizeof(command->title), "machine");
    else if (choice->cgroup)
        snprintf(command->title, sizeof(command->title), "%s", choice->cgroup);
    else if (rule)
        snprintf(command->title, sizeof(command->title), "%s", rule);
    else
        snprintf(command->title, sizeof(command->title), "%zu-processes", fixed->pids.count);
    command->recorder.together = command->title;
    command->station.together = true;
}

/* The kernel picks out what runs in a cgroup, also what is too short to be found in a list of
 * processes; where it may not, the list is looked at now and then. */
static bool can_see_cgroup(struct cpu_command *command, struct fault *fault)
{
    struct process_choice *choice = &command->choice;
    char *seen = command->seen_cgroup; /* in the tree that perf events know */
    if (!choice->cgroup || choice->name || choice->container || command->each ||
        command->station.source == CPU_SOURCE_AGENT || process_choice_cgroup(choice, fault) < 0 ||
        cgroup_folder_beside(NULL, choice->cgroup_folder, "perf_event", seen) < 0 ||
        !clock_events_can_see(seen))
        return false;
    command->station.cgroup = seen;
    command->recorder.is_endless = true;
    return true;
}

/* Whom, from the words that are left.  0 or -errno with `fault`. */
static int choose(struct cpu_command *command, char *const *words, int count, struct fault *fault)
{
    struct outside_recorder_options *recorder = &command->recorder;
    struct process_choice *choice = &command->choice;
    bool const by_rule = choice->name || choice->container || choice->cgroup || choice->wait_exec;
    int const ways = (recorder->command != NULL) + command->station.whole_machine +
                     (count > 0 || recorder->fixed.pids.count > 0) + by_rule;
    if (ways > 1)
        return fault_set(fault, -EINVAL,
                         "choose one of these: PIDs, -a, --name, --cgroup, or -- and a program");
    if (recorder->command)
        return 0;
    if (command->station.whole_machine) {
        recorder->is_endless = true;
        return 0;
    }
    if (recorder->fixed.pids.count > 0 && count == 0)
        return 0;
    if (can_see_cgroup(command, fault))
        return 0;
    if (choice->wait_exec && count == 0 && !choice->name && !choice->container && !choice->cgroup)
        return 0; /* once we know who tells */
    return process_choice_find(choice, words, count, recorder->wish.quiet, &recorder->fixed,
                               &recorder->selector, fault);
}

static int ask_station(void *station, const char *name, bool is_once, struct fault *fault)
{
    return cpu_station_await(station, name, is_once, fault);
}

static int record(struct cpu_command *command)
{
    struct fault fault = {.text = "CPU time cannot be recorded"};
    struct cpu_cells cells;
    struct cpu_station *station = cpu_station_open(&command->station, &fault);
    if (!station || outside_options_await(&command->recorder, &command->choice, ask_station,
                                          station, &fault) < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        cpu_station_close(station);
        return 1;
    }
    cpu_cells_init(&cells, station);
    command->recorder.watches[command->recorder.watch_count++] = &cells.watch;
    int const status = outside_options_record(&command->recorder);
    cpu_station_close(station);
    cpu_cells_fini(&cells);
    return status;
}

/* A kernel thread has no stacks of its own program, and is no process that starts or ends. */
static int refuse_kernel(const struct pid_list *list, struct fault *fault)
{
    vec_each (pid, &list->pids)
        if (process_is_kernel(*pid))
            return fault_set(fault, -ESRCH,
                             "process %u is a kernel thread, which runs no program; memoir cpu -a "
                             "records what the kernel does, too",
                             *pid);
    return 0;
}

static int choose_and_record(struct cpu_command *command, char *const *words, int count)
{
    struct outside_recorder_options *recorder = &command->recorder;
    struct fault fault = {.text = ""};
    int err = choose(command, words, count, &fault);
    if (err == 0)
        err = refuse_kernel(&recorder->fixed, &fault);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return err == -EINVAL ? 2 : 1;
    }
    bool const several =
        recorder->is_endless || recorder->selector || recorder->fixed.pids.count > 1;
    if (several && !command->each)
        make_title(command);
    if (recorder->is_endless && command->each) {
        fprintf(stderr, "memoir: -a makes one recording of all processes; leave --each out\n");
        return 2;
    }
    return record(command);
}

int cmd_cpu(int argc, char **argv)
{
    struct cpu_command command = {.station = {.socket = AGENT_SOCKET_PATH, .hz = CPU_HZ_DEFAULT}};
    struct option_set const sets[] = {{"Which process", process_choice_rules, &command.choice},
                                      {"How", rules, &command},
                                      {"Recording", wish_rules, &command.recorder.wish}};
    struct command_help const help = {
        .usage = "memoir cpu [options] PID...   or   memoir cpu [options] -- PROGRAM ARGS",
        .summary =
            "Records where processes spend their time: the call stacks of running threads, sampled "
            "99 times a second, and with\n--off-cpu what threads wait for.  memoir puts nothing "
            "into the processes; no frame pointers are needed.  Several\nprocesses make one "
            "recording, in which each process is an outermost frame.",
        .examples = "  memoir cpu -- ./node --config node.toml\n"
                    "  memoir cpu --for 30s --off-cpu 4242\n"
                    "  memoir cpu --for 1m --name etcd -o cluster.memoir\n"
                    "  sudo memoir cpu -a --for 10s\n"
                    "  memoir flame node.4242.memoir -o cpu.svg\n"
                    "  memoir report node.4242.memoir --metric cpu.off\n",
        .sets = sets,
        .set_count = 3};
    int status;
    outside_options_init(&command.recorder, &command.serve, SOURCE_CPU);
    command.recorder.ended = say_end;
    command.recorder.command = outside_split_program(&argc, argv);
    int const words = command_words(argc, argv, &help, &status);
    if (words >= 0)
        status = choose_and_record(&command, argv + 1, words);
    vec_free(&command.recorder.fixed.pids);
    process_choice_fini(&command.choice);
    return status;
}
