#!/usr/bin/env bash
# A process that runs is recorded from now on, and left as it was.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# What is allocated while we look is exact; blocks from before are told apart.
known_answers() {
    begin_obedient known
    tell known "a 100 10000"
    attach known.memoir "$target" || return
    tell known "a 50 200"
    tell known "f 120"
    end_attach
    equal known-status 0 "$status"
    tell known "a 7 7"
    # It goes on, so nothing is leaked yet.
    equal known-is-live 1 "$("$MEMOIR" report known.memoir | grep -c '^ *live .* live when recording stopped')"
    equal known-is-not-leaked 0 "$("$MEMOIR" report known.memoir | grep -c '^ *leaked')"
    equal known-still-ran "true 1" "$(fact known.memoir .recording.still_ran) $(fact known.memoir '[.quality.notes[] | select(test("live when recording stopped"))] | length')"
    equal known-calls 50 "$(summary known.memoir calls)"
    equal known-bytes 10000 "$(summary known.memoir allocated_bytes)"
    equal known-frees 20 "$(summary known.memoir freed_calls)"
    equal known-leaked "6000 30" "$(summary known.memoir leaked_bytes) $(summary known.memoir leaked_calls)"
    equal known-peak 10000 "$(summary known.memoir peak_bytes)"
    equal known-freed-from-before 100 "$(fact known.memoir .before.freed_calls)"
    at_least known-heap-before 1000000 "$(fact known.memoir .before.heap_bytes)"
    at_least known-rss-before "$(fact known.memoir .before.heap_bytes)" "$(fact known.memoir .before.rss_bytes)"
    equal known-nothing-lost "0 0" "$(quality known.memoir lost_events) $(quality known.memoir implied_frees)"
    equal known-source "memoir attach" "$(fact known.memoir .recording.source)"
    equal known-command "$subjects/subject-obeys" "$(fact known.memoir .recording.command_line)"
    equal known-site "6000 30" "$(site known.memoir heap.leaked allocate_blocks main)"
    at_least known-says-before 1 "$("$MEMOIR" report known.memoir | grep -c 'before the recording.*100 blocks of it freed')"
    at_least known-tells-times 2 "$(grep -c 'worked for memoir for' known.memoir.err)"
    if grep -q libmemoir "/proc/$target/maps"; then ok known-library-stays; else not_ok known-library-stays "unloaded"; fi
    equal known-nothing-open 0 "$(find "/proc/$target/fd" -mindepth 1 -printf '%l\n' | grep -c memfd)"
    equal known-no-arena 0 "$(grep -c 'memfd:memoir' "/proc/$target/maps")"
    tell known "f 37"
    echo "c 5" >&9
    wait "$target"
    equal known-goes-on 5 $?
}

# Again, after it was left; a library that it loads meanwhile is hooked too; it ends while we look.
second_time() {
    begin_obedient again
    attach again.memoir "$target" || return
    end_attach TERM
    attach again.memoir "$target" || return
    tell again "l $BUILD/tests/subjects/libsubject-alpha.so"
    tell again "a 3 1000"
    equal again-loaded-once 1 "$(grep -c 'r-xp.*libmemoir' "/proc/$target/maps")"
    echo "c 9" >&9
    wait "$recorder"
    equal again-status-is-the-programs 9 $?
    wait "$target" 2>/dev/null
    equal again-is-leaked "1 false" "$("$MEMOIR" report again.memoir | grep -c '^ *leaked .* still live at the end') $(fact again.memoir .recording.still_ran)"
    equal again-exit-status 2304 "$(fact again.memoir .recording.exit_status)"
    equal again-site "3000 3" "$(site again.memoir heap.leaked allocate_blocks)"
    equal again-complete true "$(quality again.memoir complete)"
}

has_calls() { # has_calls FILE COUNT
    [ "$(fact "$1" .summary.heap.calls)" -ge "$2" ] 2>/dev/null
}

# Its recorder is killed: it goes on, and can be recorded again; or only tidied up.
recorder_dies() {
    begin_obedient dies
    attach dies.memoir "$target" || return
    tell dies "a 10 10"
    wait_until 20 has_calls dies.memoir 10 || not_ok dies-written "nothing was written"
    kill -9 "$recorder"
    wait "$recorder" 2>/dev/null
    equal dies-is-live 1 "$("$MEMOIR" report dies.memoir 2>/dev/null | grep -c 'live when recording stopped')"
    tell dies "a 1000 10"
    lives dies-goes-on "$target"
    attach dies2.memoir "$target" || return
    tell dies "a 20 10"
    end_attach
    equal dies-recorded-again "200 20" "$(site dies2.memoir heap.leaked allocate_blocks)"
    attach dies3.memoir "$target" || return
    kill -9 "$recorder"
    wait "$recorder" 2>/dev/null
    "$MEMOIR" detach "$target" 2>detach.err
    equal dies-tidied-status 0 $?
    equal dies-tidied 0 "$(grep -c 'memfd:memoir' "/proc/$target/maps")"
    tell dies "f 1030"
    echo "c 0" >&9
    wait "$target"
    equal dies-unharmed 0 $?
}

# From outside, and for programs that memoir run has started.
detach_command() {
    begin_obedient told
    attach told.memoir "$target" || return
    tell told "a 5 5"
    "$MEMOIR" detach "$target"
    equal detach-status 0 $?
    wait "$recorder"
    equal detach-recorder-status 0 $?
    equal detach-site "25 5" "$(site told.memoir heap.leaked allocate_blocks)"
    "$MEMOIR" detach "$target" 2>detach.err
    equal detach-twice-status 1 $?
    one_sentence detach-twice detach.err 'is not recorded'
    echo "c 0" >&9
    wait "$target"
    begin run "$MEMOIR" run -o run.memoir -- "$subjects/subject-works_for_seconds" 60
    local running=$target program
    wait_until 20 has_line run.out working || not_ok detach-run-begins "it did not begin"
    program=$(descendants "$running" | head -n 1)
    "$MEMOIR" detach "$program"
    equal detach-run-status 0 $?
    lives detach-run-goes-on "$program"
    lives detach-run-waits-for-it "$running"
    "$MEMOIR" detach "$program" # what is left of it goes, too
    equal detach-run-twice-status 0 $?
    "$MEMOIR" detach "$program" 2>detach.err
    equal detach-run-again-status 1 $?
    one_sentence detach-run-again detach.err 'is not recorded'
    kill "$program"
    wait "$running"
    equal detach-run-has-its-status 143 $?
    equal detach-run-complete true "$(quality run.memoir complete)"
}

# Real programs.
cplusplus() {
    cat >words.cc <<'END'
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
int main() {
    std::map<std::string, int> words;
    std::puts("ready");
    std::fflush(stdout);
    for (int i = 0; i < 150; i++) {
        for (int k = 0; k < 200; k++) words["a rather long word number " + std::to_string(i * 200 + k)]++;
        try { throw std::string("thrown"); } catch (const std::string &) { }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return words.size() == 30000 ? 0 : 1;
}
END
    g++ -O1 -g -o words words.cc || return
    begin words ./words
    wait_until 20 has_line words.out ready
    attach words.memoir --for 1s "$target" || return
    wait "$recorder"
    equal cplusplus-attach 0 $?
    at_least cplusplus-calls 1000 "$(summary words.memoir calls)"
    at_least cplusplus-map 1 "$(site words.memoir heap.leaked main | cut -d' ' -f2)"
    wait "$target"
    equal cplusplus-unchanged 0 $?
}

python() {
    begin python /usr/bin/python3 -u -c '
import threading, time
kept = []
def work():
    for i in range(120):
        kept.append(b"x" * 5000)
        time.sleep(0.02)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
print("ready")
[t.join() for t in threads]
print(len(kept))'
    wait_until 20 has_line python.out ready
    attach python.memoir --for 1s "$target" || return
    wait "$recorder"
    equal python-attach 0 $?
    at_least python-calls 50 "$(summary python.memoir calls)"
    wait "$target"
    equal python-unchanged "0 480" "$? $(tail -n 1 python.out)"
}

redis() {
    begin redis redis-server --port 0 --unixsocket "$PWD/redis.sock" --save '' --appendonly no
    local server=$target
    wait_until 20 test -S redis.sock || not_ok redis-begins "it did not begin"
    redis-benchmark -s redis.sock -n 100000 -r 20000 -t set,lpush -q >bench.out 2>&1 &
    local bench=$!
    started+=("$bench")
    attach redis.memoir --wait "$server" || return # by itself it loses some on a busy machine, and says so
    sleep 2
    end_attach
    wait "$bench"
    equal redis-clients-unharmed "0 0" "$? $(grep -ci error bench.out)"
    equal redis-attach 0 "$status"
    at_least redis-calls 10000 "$(summary redis.memoir calls)"
    equal redis-nothing-lost 0 "$(quality redis.memoir lost_events)"
    redis-cli -s redis.sock shutdown nosave
    wait "$server"
    equal redis-ends 0 $?
}

known_answers
second_time
recorder_dies
detach_command
cplusplus
python
redis
