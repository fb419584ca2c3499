#!/usr/bin/env bash
# memoir run --serve and attach --serve: a server for as long as the recorder lives, and no harm when there can be none.
# shellcheck source=/dev/null disable=SC2154,SC2034
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_beside
live='memoir_heap_live_bytes'

port_of() { # port_of FILE
    sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' "$1"
}
begin_subject beside --serve --listen 0
wait_until 30 has_line beside.err 'serving http://' || not_ok beside-begins "$(cat beside.err)"
port=$(port_of beside.err)
grow_to beside 100
if wait_until 30 metric_is "$live" 100000; then ok beside-live-bytes; else not_ok beside-live-bytes "$(metric "$live")"; fi
equal beside-threads yes "$(get '/debug/pprof/goroutine?debug=2' | grep -q '^main(' && echo yes)"
exec 9>&-
server_is_gone() {
    [ "$(status_of /healthz)" = 000 ]
}
if wait_until 30 server_is_gone; then ok beside-ends-with-it; else not_ok beside-ends-with-it "$(get /healthz)"; fi

begin_subject orphan --serve --listen 0
wait_until 30 has_line orphan.err 'serving http://' || not_ok orphan-begins "$(cat orphan.err)"
port=$(port_of orphan.err)
kill -9 "$(awk '/^PPid/ { print $2 }' "/proc/$subject/status")"
if wait_until 30 server_is_gone; then ok ends-with-killed-recorder; else not_ok ends-with-killed-recorder "$(get /healthz)"; fi
grow_to orphan 100
ok program-goes-on
exec 9>&-

mkfifo unrecorded.in
"$subjects/subject-grows_on_demand" <>unrecorded.in >unrecorded.out 2>unrecorded.err &
unrecorded=$!
started+=("$unrecorded")
"$MEMOIR" attach "$unrecorded" -o attached.memoir --serve --listen 0 2>attached.err &
attached=$!
started+=("$attached")
wait_until 30 has_line attached.err 'serving http://' || not_ok attach-begins "$(cat attached.err)"
port=$(port_of attached.err)
equal attach-serves "process: running" "$(get /healthz | sed -n 2p)"
"$MEMOIR" detach "$unrecorded" >/dev/null 2>&1
wait "$attached"
if wait_until 30 server_is_gone; then ok attach-ends; else not_ok attach-ends "$(get /healthz)"; fi
kill "$unrecorded"

# A port that is taken: one sentence, and the recording goes on.
python3 -c 'import socket, time; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(1000)' >taken &
started+=($!)
wait_until 30 has_line taken . || not_ok port-is-taken "nobody took it"
"$MEMOIR" serve beside.memoir --listen "$(cat taken)" 2>taken.err
equal taken-status 1 $?
one_sentence taken taken.err 'listens there already.*--listen'
begin_subject crowded --quiet --listen "$(cat taken)"
wait_until 30 has_line crowded.err . || not_ok crowded-speaks "nothing"
one_sentence recording-says-so crowded.err 'listens there already'
grow_to crowded 100
exec 9>&-
has_all() {
    rm -f crowded.memoir.facts.json # what it said while the recorder was still writing
    [ "$(summary crowded.memoir allocated_bytes)" = 100000 ]
}
if wait_until 30 has_all; then ok recording-goes-on; else not_ok recording-goes-on "$(summary crowded.memoir allocated_bytes)"; fi

# A program that is faster than the server.
record fast.memoir --listen 0 --quiet -- "$subjects/subject-leaks_100_blocks"
equal fast-status 0 "$status"
