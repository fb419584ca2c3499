#!/usr/bin/env bash
# Runs beside others.
# What memoir says about why something does not work, and what to do, is so.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

begun=()
trap '{ kill -9 "${begun[@]}"; wait; } 2>/dev/null; leave_house' EXIT

# Too few descriptors.
(
    ulimit -n 10
    "$MEMOIR" run -o few.memoir -- true
) 2>said
equal few-files-status 1 $?
one_sentence few-files said 'ulimit -n'

# A small stack, little memory and few processes are the program's: memoir has more, if it may.
# shellcheck disable=SC2016 # the inner shell's
for limit in 's 64' 's 96' 'd 16000' 'u 1'; do
    letter=${limit%% *}
    (
        ulimit -S "-$letter" "${limit#* }"
        "$MEMOIR" run --quiet -o "limit-$letter.memoir" -- sh -c "exec bash -c 'ulimit -$letter'"
    ) >out 2>said
    equal "limit-$letter-${limit#* }" "0 ${limit#* }" "$? $(cat out)"
    equal "limit-$letter-${limit#* }-says-nothing" 0 "$(wc -l <said)"
done
(
    ulimit -s 64
    "$MEMOIR" run -o stack.memoir -- true
) 2>said
equal small-stack-status 1 $?
one_sentence small-stack said 'ulimit -s'
(
    ulimit -d 2000
    "$MEMOIR" run -o data.memoir -- true
) 2>said
equal little-data-status 1 $?
one_sentence little-data said 'ulimit -d'

# A process in state D.
"$subjects/subject-waits_in_vfork" &
begun+=($!)
stuck=$!
wait_until 10 grep -q 'State:.D' "/proc/$stuck/status"
"$MEMOIR" attach -o d.memoir $stuck 2>said
equal stuck-status 1 $?
one_sentence stuck said 'state D'
begun+=("$(pgrep -P $stuck | head -n 1)") # its child, not the one that looks names up

# Little address space.
for kilobytes in 3000 6000 12000; do
    sh -c "ulimit -v $kilobytes; exec sleep 60" &
    begun+=($!)
    small=$!
    wait_until 10 grep -q sleep "/proc/$small/comm"
    "$MEMOIR" attach --for 100ms -o space.memoir $small 2>said
    equal "space-$kilobytes-status" 1 $?
    one_sentence "space-$kilobytes" said 'limited to .*ulimit -v.*prlimit'
done

# Programs that do nothing for a moment, and programs that leak.
sleep 60 &
begun+=($!)
"$MEMOIR" attach --for 100ms -o rest.memoir $! 2>said
equal short-time-is-no-evidence 0 "$(grep -c 'does not call malloc' said)"
equal short-time-is-said 1 "$(grep -c 'too short a time' said)"
"$MEMOIR" run -o leaky.memoir -- "$subjects/subject-waits_to_be_killed" 5000 >leaky.out 2>said &
recorder=$!
wait_until 30 has_line leaky.out '^[0-9]+ '
kill -TERM "$(cut -d ' ' -f 1 leaky.out)"
wait $recorder
equal a-leak-is-no-doubt 0 "$(grep -c 'frees' said)"

# Others' recorders, and programs with rights of their own.
if [ "$(id -u)" != 0 ]; then
    skip other-user "needs root"
    exit 0
fi
open_house exits
for limit in 'd 20000' 'u 1'; do
    letter=${limit%% *}
    lonely=$((1700000000 + 256 * $$ + $(printf %d "'$letter"))) # all processes of a user count, also those of other tests
    install -d -o "$lonely" "$house/lonely"
    (
        ulimit "-$letter" "${limit#* }"
        cd "$house/lonely" && TMPDIR=$PWD exec setpriv --reuid "$lonely" --regid nogroup --clear-groups \
            "$house/memoir" run -o limit.memoir -- true
    ) 2>said
    equal "little-$letter-status" 1 $?
    one_sentence "little-$letter" said "ulimit -$letter"
done
"$MEMOIR" run --quiet -o mine.memoir -- "$subjects/subject-waits_to_be_killed" 100 >mine.out 2>&1 &
begun+=($!)
wait_until 30 has_line mine.out '^[0-9]+ '
program=$(cut -d ' ' -f 1 mine.out)
begun+=("$program")
for command in "set $program --heap off" "mark $program x"; do
    # shellcheck disable=SC2086
    as_nobody "$house/memoir" $command 2>said
    equal "others-${command%% *}-status" 1 $?
    one_sentence "others-${command%% *}" said 'runs as root.*sudo'
done
as_nobody "$house/memoir" detach "$program" 2>said
equal others-detach-status 1 $?
one_sentence others-detach said "sudo memoir detach $program"
# Pages and time at once fit into what an ordinary user may lock; what nobody counted is not said to be 0.
briefly=(/usr/bin/python3 -c 'import time; kept = bytearray(20 << 20); time.sleep(0.4)')
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
    as_nobody "$house/memoir" run --pages --cpu -o both.memoir -- "${briefly[@]}" 2>said
    equal pages-and-time-status 0 $?
    equal pages-and-time-fit 0 "$(grep -c 'not watched' said)"
    "$MEMOIR" report "$house/own/both.memoir" --metric pages.resident >out 2>&1
    equal pages-are-there 0 $?
    "$MEMOIR" report "$house/own/both.memoir" --metric cpu.on >out 2>&1
    equal time-is-there 0 $?
    "$MEMOIR" explain "$house/own/both.memoir" >out 2>&1
    equal explain-status 0 $?
    equal nothing-is-not-counted 0 "$(grep -c 'kernel counted 0 B' out)"
else
    skip pages-and-time "kernel.perf_event_paranoid forbids it"
fi
if setcap cap_net_raw+ep "$house/subject-exits" 2>said; then
    as_nobody "$house/memoir" run -o caps.memoir -- "$house/subject-exits" 3 2>said
    equal capabilities-status 126 $?
    one_sentence capabilities said 'has capabilities'
else
    skip capabilities "no capabilities can be given to files here"
fi

# Most frames are numbers: what would name them.
strip -o stripped "$subjects/subject-many_stacks"
"$MEMOIR" run --quiet -o stripped.memoir -- ./stripped >/dev/null
"$MEMOIR" report stripped.memoir >stripped.txt
if grep -q 'names .*/stripped, which has no symbols: .*dbgsym.*DEBUGINFOD_URLS' stripped.txt; then ok names; else not_ok names "$(head -n 10 stripped.txt)"; fi
cat >exports.c <<'END'
#include <stdlib.h>
__attribute__((visibility("default"), noinline)) void *shown(void) { return malloc(100); }
#define HIDDEN(N) __attribute__((noinline)) static void hidden##N(void *volatile *p) { *p = shown(); }
HIDDEN(1) HIDDEN(2) HIDDEN(3) HIDDEN(4)
int main(void)
{
    void *volatile p[4];
    hidden1(&p[0]), hidden2(&p[1]), hidden3(&p[2]), hidden4(&p[3]);
    return 0;
}
END
gcc -O1 -s -rdynamic -fvisibility=hidden -o exports exports.c
"$MEMOIR" run --quiet -o exports.memoir -- ./exports
if "$MEMOIR" report exports.memoir | grep -q 'names .*/exports, which has few symbols: '; then ok names-few; else not_ok names-few "$("$MEMOIR" report exports.memoir | head -n 10)"; fi
"$MEMOIR" run --quiet -o named.memoir -- "$subjects/subject-many_stacks" >/dev/null
equal names-only-then 0 "$("$MEMOIR" report named.memoir | grep -c '^  names ')"
