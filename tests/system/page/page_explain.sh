#!/usr/bin/env bash
# The views of resident memory, in Chromium: their numbers are those of memoir explain and memoir map.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_browser page-explain

# Records the subject that pins pages until it stands still, and looks at it; $program is its pid.
record_pins() { # record_pins NAME OPTIONS…
    local name=$1 recorder
    shift
    "$MEMOIR" run --quiet -o "$name.memoir" "$@" -- "$subjects/subject-pins_pages" >"$name.out" 2>&1 &
    recorder=$!
    started+=("$recorder")
    wait_until 30 has_line "$name.out" ready || not_ok "$name-begins" "$(head -c 300 "$name.out")"
    program=$(descendants "$recorder" | head -n 1)
    started+=("$program")
    "$MEMOIR" explain "$program" >/dev/null 2>"$name.err" || not_ok "$name-look" "$(cat "$name.err")"
}


record_pins pins
pins=$program
begin_server pins --listen 0 pins.memoir
pins_port=$port
record_pins sampled --heap sample=16K # so often that some block that stays is seen
kill -9 "$program"
begin_server sampled --listen 0 sampled.memoir
sampled_port=$port
"$MEMOIR" run --quiet --map-every off -o silent.memoir -- "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
begin_server silent --listen 0 silent.memoir
silent_port=$port
"$subjects/subject-pins_pages" >plain.out 2>&1 &
plain=$!
started+=("$plain")
wait_until 30 has_line plain.out ready
begin_server plain --listen 0 --pid "$plain"

run_page_test resident.mjs "$(jq -n --arg pins "http://127.0.0.1:$pins_port/" --arg pid "$pins" \
    --arg sampled "http://127.0.0.1:$sampled_port/" --arg silent "http://127.0.0.1:$silent_port/" --arg plain "http://127.0.0.1:$port/" --arg unrecorded "$plain" '{
        ended: {url: $pins, file: "pins.memoir", pid: $pid},
        sampled: {url: $sampled, file: "sampled.memoir"},
        silent: {url: $silent}, plain: {url: $plain, pid: $unrecorded}}')"
