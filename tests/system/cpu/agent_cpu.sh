#!/usr/bin/env bash
# Samples and waits through memoir agent, as any peer gets them: sums against what the program measured itself, who may see what,
# many threads, exec, exit, and what remains when nobody asks any more.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent agent_cpu
open_house agent_times works_and_waits
socket=$house/agent.sock
begin_agent --group nogroup || not_ok begins "$(cat agent.err)"

# listen NAME PID SECONDS HZ LEAST_US…: what is told, in NAME.told, by a process $listener.
listen() {
    local name=$1
    shift
    : >"$name.told"
    "${as[@]}" "$house/subject-agent_times" "$socket" "$@" >"$name.told" 2>"$name.err" &
    listener=$!
    started+=("$listener")
    wait_until 10 grep -q ready "$name.told"
}
as=(env)
told() { # told NAME WORD: a sum
    awk -v word="$2" '$1 == word { print $2 }' "$1.told"
}
# works NAME THREADS SECONDS HZ LEAST_US: the truth is in NAME.truth: TID WALL CPU
works() {
    rm -f "$1.in"
    mkfifo "$1.in"
    "${as[@]}" "$house/subject-works_and_waits" "$2" "$3" <"$1.in" >"$1.truth" 7>&- &
    worker=$!
    started+=("$worker")
    exec 6>"$1.in"
    wait_until 20 grep -q '^subject-' "/proc/$worker/comm" # setpriv is still root's at first
    listen "$1" "$worker" 60 "$4" "$5"
    echo go >&6
    exec 6>&-
    wait "$worker" "$listener"
}
# both NAME: TID TOLD_WAIT_NS TRUE_WAIT_NS SAMPLED_NS TRUE_CPU_NS of each thread
both() {
    join -1 2 -2 1 <(grep ^thread "$1.told" | sort -k 2,2) <(sort -k 1,1 "$1.truth") |
        awk '{ printf "%s %.0f %.0f %.0f %.0f\n", $1, $7 + $9, $10 - $11, $5, $11 }'
}
# off NAME: the error of the sum of all waits, and worst NAME that of one thread, which may wait once more after it has said
# what it did; in percent.
off() {
    both "$1" | awk '{ told += $2; truth += $3 } END { e = 100 * (told - truth) / truth; print e < 0 ? -e : e }'
}
worst() {
    both "$1" | awk '{ e = 100 * ($2 - $3) / $3; e = e < 0 ? -e : e; if (e > worst) worst = e } END { print worst + 0 }'
}

# Sums of waits (within 2 % on a quiet machine: a thread may be held up between its two clocks), and samples within nine times the error that so few have: the clocks tick per processor, and a virtual one may stand still.
works three 3 3 499 100
equal three-threads 3 "$(both three | wc -l)"
at_most three-waits-percent-off 5 "$(off three)"
at_most three-samples-errors-off 9 "$(both three | awk '{ s += $4; t += $5 } END { p = 1e9 / 499; n = t / p; print ((s - t > 0 ? s - t : t - s) / p) / sqrt(n) }')"
at_least three-has-short-waits 100 "$(awk '$1 == "thread" { n += $8 } END { printf "%.0f\n", n }' three.told)"
at_least three-names 3 "$(grep -c '^thread [0-9]* worker-' three.told)"
equal three-lost 0 "$(told three lost)"
equal three-ended 1 "$(told three ended)"
equal three-threads-ended 4 "$(told three exits)"
at_least three-kernel-stacks 100 "$(told three kernel)"
equal three-kernel-addresses-are 0 "$(told three not_kernel)"

# Everything is told one by one where nothing is too short.
works each 2 2 99 0
equal each-short-waits 0 "$(awk '$1 == "thread" { n += $8 } END { print n + 0 }' each.told)"
at_most each-waits-percent-off 5 "$(off each)"

works many 64 3 99 50
equal many-threads 64 "$(both many | wc -l)"
at_most many-waits-percent-off 5 "$(off many)"
at_most many-worst-percent-off 12 "$(worst many)"
equal many-lost 0 "$(told many lost)"
equal many-missed 0 "$(told many missed)"

# A thread that sleeps all the time is told of, too.
sleep 300 &
sleeps=$!
started+=("$sleeps")
listen sleeper "$sleeps" 3 99 100
wait "$listener"
at_least sleeper-waited 1900000000 "$(awk '$1 == "thread" { n += $7 } END { print n + 0 }' sleeper.told)"
at_most sleeper-waited-no-more 3500000000 "$(awk '$1 == "thread" { n += $7 } END { print n + 0 }' sleeper.told)"

# Who is not root sees its own, and nothing of the kernel's addresses where the kernel keeps them to itself.
level() { cat /proc/sys/kernel/perf_event_paranoid; }
as=("${nobody[@]}")
before=$(level)
works own 1 2 99 100
at_most own-waits-percent-off 5 "$(off own)"
if [ "$before" != "$(level)" ]; then
    skip own-kernel-stacks "somebody has just changed kernel.perf_event_paranoid"
elif [ "$before" -gt 1 ]; then
    equal own-kernel-stacks 0 "$(told own kernel)"
else
    at_least own-kernel-stacks 1 "$(told own kernel)"
fi
as_nobody "$house/subject-agent_times" "$socket" "$sleeps" 1 99 0 >/dev/null 2>err
equal others-process-status 1 $?
one_sentence others-process err 'another user'
as=(env)
for hz in 0 998 4000000000; do
    "$subjects/subject-agent_times" "$socket" "$sleeps" 1 $hz 0 >/dev/null 2>err
    one_sentence "hz-$hz" err 'from 1 to 997'
done
"$subjects/subject-agent_times" "$socket" "$sleeps" 1 99 60000001 >/dev/null 2>err
one_sentence waits-too-long err 'less than a minute'

# Two recorders of its time exclude each other; one of its memory is another matter.
listen first "$sleeps" 4 99 100
first=$listener
"$subjects/subject-agent_times" "$socket" "$sleeps" 1 99 100 >/dev/null 2>err
one_sentence twice err 'recorded by another recorder'
"$subjects/subject-agent_listens" "$socket" "$sleeps" 1 >/dev/null 2>err
equal memory-besides-time 0 $?
wait "$first"
# Six rates at once, and no seventh.
others=()
for hz in 46 47 48 49 50 51; do
    sleep 300 &
    started+=("$!")
    others+=("$!")
    listen "rate$hz" "$!" 60 $hz 100
    others+=("$listener")
done
sleep 300 &
started+=("$!")
others+=("$!")
"$subjects/subject-agent_times" "$socket" "$!" 1 52 100 >/dev/null 2>err
one_sentence seventh-rate err 'rates are in use.*46, 47, 48, 49, 50'
kill "${others[@]}"

# A program that becomes another one, and starts others.
# shellcheck disable=SC2016
sh -c 'read -r _; (sleep 1); exec "$0" 1 1' "$subjects/subject-works_and_waits" <<<$'go\ngo' >exec.truth &
becomes=$!
started+=("$becomes")
listen exec "$becomes" 20 99 100 children
wait "$becomes" "$listener"
at_least exec-is-told 1 "$(told exec execs)"

# The same stations that have their records from perf events elsewhere: shares by function, waits by function and kind.
for test in on_cpu off_cpu; do
    MEMOIR_AGENT=$socket "$BUILD/tests/unit/unit-cpu_$test" >"$test.out" 2>&1
    equal "station-$test" 0 $?
    equal "station-$test-was-not-skipped" 0 "$(grep -c '^skipped' "$test.out")"
done

# The agent dies and comes back: the recording goes on, and says so.
"$subjects/subject-works_for_seconds" 300 >/dev/null &
works=$!
started+=("$works")
"$MEMOIR" cpu --agent "$socket" --off-cpu -o gap.memoir "$works" 2>gap.err &
recorder=$!
started+=("$recorder")
sleep 2
kill -9 "$agent"
wait "$agent" 2>/dev/null
begin_agent --group nogroup || not_ok begins-again "$(cat agent.err)"
sleep 3
kill "$works"
wait "$recorder"
equal gap-status 0 $?
equal gap-is-told 1 "$(grep -c 'agent was gone 1 times' gap.err)"

# When nobody asks, nothing of it is in the kernel.
wait_until 5 sh -c '! bpftool link show 2>/dev/null | grep -q perf_event'
equal no-timers-left 0 "$(bpftool link show 2>/dev/null | grep -c perf_event)"
at_most descriptors-left 64 "$(find "/proc/$agent/fd" | wc -l)"
end_agent
equal ends 0 $?
