#!/usr/bin/env bash
# What the page shows is seen, in Chromium: every view and the page of a run, at two sizes, light and dark; and what is not seen is found out.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_browser page-seen
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
"$MEMOIR" run --quiet -o busy.memoir -- "$subjects/subject-phases" busy >/dev/null 2>&1
"$MEMOIR" run --quiet --map-every 200ms -o grows.memoir -- "$subjects/subject-grows" 1 4 >/dev/null 2>&1
"$BUILD/tests/make-moments" time.memoir <<'END'
program /usr/bin/grinder
thread 100 main
thread 101 worker-1
length 4000
on 0 4000 10 100 main;handle;parse@/elsewhere/parse.c:12
on 1000 1200 10 101 main;handle;hash
off 2500 300 101 main;handle;read;[waits: disk]
END
make_leaky heaptrack.leaky.1
begin_server recordings --listen 0 phases.memoir busy.memoir grows.memoir time.memoir heaptrack.leaky.1 --sources "$TOP/tests"
recordings=$port
targets=$(get /api/targets | jq -c '[.targets[] | {key: (.file | capture("(?<name>phases|busy|grows|time|leaky)").name), value: .id}] | from_entries')
make_small_run run
begin_server run --listen 0 run
run=$port
make_history days.db
begin_server history --listen 0 days.db
surroundings=$(jq -n --arg all "http://127.0.0.1:$recordings/" --arg run "http://127.0.0.1:$run/" --arg history "http://127.0.0.1:$port/" \
    --argjson targets "$targets" '{url: $all, run: $run, history: $history, targets: $targets}')
run_page_test unseen.mjs "$surroundings"
run_page_test views.mjs "$surroundings"
