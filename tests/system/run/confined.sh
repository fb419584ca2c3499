#!/usr/bin/env bash
# Programs that forbid themselves system calls (seccomp) or the clock: they end as they do without us, and what they did before is
# all there.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

subject=$subjects/subject-confines_itself
says() { # says CASE PATTERN FILE…
    local name=$1 pattern=$2
    shift 2
    if grep -Eq "$pattern" "$@"; then ok "$name"; else not_ok "$name" "nobody says '$pattern': $(head -c 400 "$@" | tr '\n' '|')"; fi
}

# Nothing of ours is allowed any more: the recording ends there, and says so.
for mode in strict little clock; do
    same_as_native $mode "$subject" $mode
    equal $mode-native 6 "$status"
    equal $mode-blocks-before 1000 "$(summary $mode.memoir calls)"
    equal $mode-keeps-one 100 "$(summary $mode.memoir leaked_bytes)"
    says $mode-is-told 'memoir: .*forbade itself' $mode.memoir.err
    "$MEMOIR" report $mode.memoir >$mode.txt
    says $mode-is-reported 'forbade itself' $mode.txt
    equal $mode-nothing-lost "" "$(grep -i ' lost' $mode.txt | grep -v 'nothing lost')"
done

# All is allowed, or nothing was done: the recording goes on.
for mode in all vain; do
    same_as_native $mode "$subject" $mode
    equal $mode-blocks 501000 "$(summary $mode.memoir calls)"
    equal $mode-is-silent "" "$(grep forbade $mode.memoir.err)"
done

# Threads that are in the middle of it when all of them are confined.
same_as_native threads "$subject" threads
at_least threads-blocks 1000 "$(summary threads.memoir calls)"

# What tracing needs is allowed, and what a child needs to be recorded is not.
record files.memoir --children -- "$subject" no-files
equal files-status 6 "$status"
equal files-blocks 501000 "$(summary files.memoir calls)"
says files-child-is-told '1 program was not recorded' files.memoir.err

# Attached to before that: it goes on, also when the recorder leaves.
mkfifo in
"$subject" little ever <in >ever.out &
target=$!
started+=("$target")
exec 8>in
if attach ever.memoir $target; then
    echo >&8
    wait_until 20 has_line ever.out ok || not_ok ever-goes-on "it did not go on"
    end_attach INT
    equal ever-lives R "$(sed -n 's/^State:.\(.\).*/\1/p' /proc/$target/status)"
    says ever-is-told 'forbade itself system calls' ever.memoir.err
    says ever-hooks-stay 'hooks stay in' ever.memoir.err
fi
exec 8>&-
kill -9 $target

# Fork, vfork and clone through syscall(2) are what they were.
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status, sum = 0;
    for (int i = 0; i < 20; i++) {
        long pid = i % 2 ? syscall(SYS_fork) : syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            free(malloc(10));
            _exit(i);
        }
        waitpid(pid, &status, 0);
        sum += WEXITSTATUS(status);
        free(malloc(20));
    }
    long bad = syscall(SYS_close, -1), six = syscall(SYS_mmap, NULL, 4096, 3, 0x22, -1, 4096);
    printf("%d %ld %d %d\n", sum, bad, errno, six > 0);
    return sum == 190 ? 4 : 1;
}
END
cc -O1 -o calls calls.c || exit 1
same_as_native calls ./calls
