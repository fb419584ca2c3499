#!/usr/bin/env bash
# In and out again and again, of programs that are busy meanwhile; CYCLES=200 for a long run.  After the last cycle they
# are as large as after the first, and nobody has noticed anything.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"
cycles=${CYCLES:-20}

# One cycle; false when it failed.
cycle() { # cycle NAME PID
    "$MEMOIR" attach --quiet --for 30ms -o "$1.memoir" "$2" 2>"$1.said" || {
        not_ok "$1-cycle" "$(cat "$1.said")"
        return 1
    }
    rm -f "$1.memoir"
}

cycle_many() { # cycle_many NAME PID
    local name=$1 pid=$2 first i
    cycle "$name" "$pid" && cycle "$name" "$pid" || return
    first=$(size_of "$pid")
    for ((i = 2; i < cycles; i++)); do
        cycle "$name" "$pid" || return
    done
    equal "$name-same-size" "$first" "$(size_of "$pid")"
}

# Recorders that are killed at any moment.
kill_many() { # kill_many NAME PID
    local name=$1 pid=$2 i victim
    for ((i = 0; i < cycles; i++)); do
        "$MEMOIR" attach --quiet -o "$name.memoir" "$pid" 2>/dev/null &
        victim=$!
        sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
        kill -9 "$victim"
        wait "$victim" 2>/dev/null
    done
    "$MEMOIR" detach "$pid" 2>/dev/null
    cycle "$name" "$pid"
}

begin watchful "$subjects/subject-notices_everything" 280
wait_until 10 has_line watchful.out ready
cycle_many watchful "$target"
kill_many watchful "$target"
kill -TERM "$target"
wait "$target"
equal watchful-noticed-nothing "0 unharmed" "$? $(tail -n 1 watchful.out)"

begin redis redis-server --port 0 --unixsocket "$PWD/redis.sock" --save '' --appendonly no
server=$target
wait_until 20 test -S redis.sock || not_ok redis-begins "it did not begin"
redis-benchmark -s redis.sock -l -r 1000 -t set -q >bench.out 2>&1 &
bench=$!
started+=("$bench")
# Its keys are all there soon, and its size is steady then.
settled() {
    local before
    before=$(size_of "$server")
    sleep 1
    [ "$before" = "$(size_of "$server")" ]
}
wait_until 20 settled || not_ok redis-settles "it grows by itself"
cycle_many redis "$server"
lives redis-clients-go-on "$bench"
kill "$bench"
wait "$bench" 2>/dev/null
equal redis-no-client-error 0 "$(grep -ciE 'error|lost|closed' bench.out)"
equal redis-answers PONG "$(redis-cli -s redis.sock ping)"
redis-cli -s redis.sock shutdown nosave
wait "$server"
equal redis-ends 0 $?
