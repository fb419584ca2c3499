#!/usr/bin/env bash
# Where children are not recorded, the recording says how many there were, and what records them; where they are, nothing of that is said.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

# Each way to start a child, and what is none: a thread, an exec that fails, a fork that fails.
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <spawn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *words[] = {"true", NULL};

static void *rest(void *nothing) { return nothing; }

static void by_vfork(const char *first, const char *second)
{
    if (vfork() == 0) {
        execv(first, words);
        execv(second, words);
        _exit(127);
    }
}

int main(int count, char **ways)
{
    void *volatile block = malloc(1000);
    for (int i = 1; i < count; i++) {
        const char *way = ways[i];
        pid_t pid;
        pthread_t thread;
        if (strcmp(way, "fork") == 0 && fork() == 0)
            exit(0);
        if (strcmp(way, "fork-exec") == 0 && fork() == 0)
            execvp("true", words);
        if (strcmp(way, "grandchild") == 0 && fork() == 0) {
            if (fork() == 0)
                exit(0);
            wait(NULL);
            exit(system("true"));
        }
        if (strcmp(way, "_Fork") == 0 && _Fork() == 0)
            _exit(0);
        if (strcmp(way, "vfork") == 0)
            by_vfork("/nowhere", "/bin/true");
        if (strcmp(way, "vfork-fails") == 0)
            by_vfork("/nowhere", "/neither");
        if (strcmp(way, "spawn") == 0)
            posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
        if (strcmp(way, "spawnp") == 0)
            posix_spawnp(&pid, "true", NULL, NULL, words, environ);
        if (strcmp(way, "spawn-fails") == 0)
            posix_spawn(&pid, "/nowhere", NULL, NULL, words, environ);
        if (strcmp(way, "system") == 0 && system("true") != 0)
            return 1;
        if (strcmp(way, "popen") == 0)
            pclose(popen("true", "r"));
        if (strcmp(way, "thread") == 0 && pthread_create(&thread, NULL, rest, NULL) == 0)
            pthread_join(thread, NULL);
        if (strcmp(way, "exec") == 0)
            execv(ways[0], (char *[]){ways[0], "fork", NULL});
    }
    while (wait(NULL) > 0)
        ;
    return block == NULL;
}
END
gcc -O1 -pthread -o starts starts.c

told_of() { # told_of FILE: what its notes say of children
    "$MEMOIR" report "$1" --json | jq -r '.quality.notes[] | select(contains("child"))' | sed 's/ and .*//'
}

counts() { # counts CASE EXPECTED WAY…
    local name=$1 expected=$2
    shift 2
    rm -f one.memoir
    "$MEMOIR" run -o one.memoir -- ./starts "$@" 2>"$name.err"
    equal "$name" "$expected" "$(told_of one.memoir)"
}

counts none '' thread spawn-fails vfork-fails
one='1 child process was started'
for way in fork fork-exec grandchild _Fork vfork spawn spawnp system popen; do
    counts "$way" "$one" "$way"
done
counts every-way '9 child processes were started' fork fork-exec grandchild _Fork vfork spawn spawnp system popen thread vfork-fails
counts after-exec '2 child processes were started' fork exec

# For the person, too, with the option; in the text; and not twice.
equal said-at-the-end 1 "$(grep -c '9 child processes were started and are not recorded: --children records them' every-way.err)"
"$MEMOIR" run --quiet --force -o one.memoir -- ./starts fork 2>quiet.err
equal quiet '' "$(cat quiet.err)"
equal in-the-text 1 "$("$MEMOIR" report one.memoir | grep -c 'note  *1 child process was started and is not recorded: --children records it')"

mkdir children
(cd children && "$MEMOIR" run --children -o first.memoir -- ../starts fork vfork spawn system 2>err)
equal recorded-children-are-not-told '' "$(grep child children/err; for file in children/*.memoir; do told_of "$file"; done)"

# A program that is attached to.
cat >starts_later.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <spawn.h>
#include <unistd.h>
#include <sys/wait.h>
extern char **environ;
int main(void)
{
    char *words[] = {"true", NULL};
    pid_t pid;
    puts("ready");
    fflush(stdout);
    if (getchar() < 0)
        return 1;
    void *volatile block = malloc(100);
    if (posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ) == 0)
        wait(NULL);
    if (vfork() == 0) {
        execv("/bin/true", words);
        _exit(127);
    }
    if (fork() == 0)
        exit(0);
    if (system("true") != 0 || wait(NULL) < 0 || wait(NULL) < 0)
        return 1;
    puts("done");
    fflush(stdout);
    return getchar() == 'x' || !block;
}
END
gcc -O1 -o starts_later starts_later.c
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -gt 1 ]; then
    skip attached "no ptrace here"
    exit 0
fi
mkfifo to
./starts_later <to >from &
subject=$!
exec 4>to
wait_until 10 has_line from ready
"$MEMOIR" attach -o attached.memoir "$subject" 2>attached.err &
attached=$!
wait_until 20 grep -q 'attached to' attached.err
echo >&4
wait_until 20 has_line from 'done'
kill -INT "$attached"
wait "$attached"
equal attached '4 child processes were started' "$(told_of attached.memoir)"
echo >&4
exec 4>&-
wait "$subject"
