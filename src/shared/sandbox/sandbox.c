/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/sandbox_layers.h"

const char *const sandbox_layer_names[SANDBOX_LAYERS] = {
    [SANDBOX_OWN_USER] = "own user",
    [SANDBOX_NO_CAPABILITIES] = "capabilities",
    [SANDBOX_LIMITS] = "limits",
    [SANDBOX_NOT_DUMPABLE] = "not dumpable",
    [SANDBOX_NO_NEW_RIGHTS] = "no new rights",
    [SANDBOX_FILE_RULES] = "file rules",
    [SANDBOX_CALL_FILTER] = "call filter",
};

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks traces the process, which a confined one allows nobody. */
static bool is_confined;

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_confined;
}
#endif

/* Other threads would stay as they are: the kernel confines one thread at a time. */
static bool has_one_thread(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) < 0 || tasks.st_nlink <= 3; /* itself, its parent, one */
}

static int give_up_user(const struct sandbox_wish *wish)
{
    return wish->keeps_user || geteuid() != 0 ? SANDBOX_USER_KEPT : sandbox_become_own_user();
}

static int result(int returned)
{
    return returned < 0 ? -errno : 0;
}

int sandbox_enter(const struct sandbox_wish *wish, struct sandbox_report *report,
                  struct fault *fault)
{
    int *missing = report->missing;
    if (!has_one_thread())
        return fault_set(fault, -EINVAL,
                         "a process cannot be confined after its second thread has started");
#ifdef __SANITIZE_ADDRESS__
    is_confined = true;
#endif
    int const rules = sandbox_make_file_rules(wish); /* before permissions go */
    int const bounding = sandbox_drop_bounding();
    missing[SANDBOX_OWN_USER] = give_up_user(wish);
    int const sets =
        sandbox_drop_capabilities(wish->opens_any_owners && wish->keeps_user && rules >= 0);
    missing[SANDBOX_NO_CAPABILITIES] = sets ? sets : bounding;
    missing[SANDBOX_LIMITS] = sandbox_set_limits(wish, missing[SANDBOX_OWN_USER] == 0);
    missing[SANDBOX_NOT_DUMPABLE] =
        wish->stays_dumpable ? 0 : result(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
    missing[SANDBOX_NO_NEW_RIGHTS] = result(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    missing[SANDBOX_FILE_RULES] = rules < 0 ? rules : sandbox_use_file_rules(rules);
    missing[SANDBOX_CALL_FILTER] = sandbox_filter_calls(wish);
    if (rules >= 0)
        close(rules);
    return 0;
}

const char *sandbox_missing(const struct sandbox_report *report, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int layer = 0; layer < SANDBOX_LAYERS; layer++) {
        int const why = report->missing[layer];
        if (why == 0 || (layer == SANDBOX_OWN_USER && why == SANDBOX_USER_KEPT) || used >= size)
            continue;
        int const length = snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "",
                                    sandbox_layer_names[layer], strerror(-why));
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

int sandbox_try(const struct sandbox_wish *wish, struct sandbox_report *report)
{
    int ends[2], status;
    if (pipe(ends) < 0)
        return -errno;
    pid_t const pid = fork();
    if (pid == 0) {
        int const err = sandbox_enter(wish, report, NULL);
        bool const told = write(ends[1], report, sizeof(*report)) == (ssize_t)sizeof(*report);
        _exit(err || !told);
    }
    int err = pid < 0 ? -errno : 0;
    close(ends[1]);
    if (!err && read(ends[0], report, sizeof(*report)) != (ssize_t)sizeof(*report))
        err = -EIO;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return err;
}

void sandbox_close_others(int keep)
{
    unsigned const first = STDERR_FILENO + 1;
    if (keep < (int)first) {
        close_range(first, UINT32_MAX, 0);
        return;
    }
    if (keep > (int)first)
        close_range(first, (unsigned)keep - 1, 0);
    close_range((unsigned)keep + 1, UINT32_MAX, 0);
}
