#!/usr/bin/env bash
# All nodes of a run in the page, in Chromium: the numbers are those of memoir ram, and a row leads to what memoir report says of that node.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_browser page-nodes
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
"$MEMOIR" run --quiet -o grows.memoir -- "$subjects/subject-grows_on_demand" >/dev/null 2>&1 <<<''
make_small_run run
begin_server run --listen 0 run
run=$port
make_history days.db
begin_server history --listen 0 days.db
history=$port
begin_server recordings --listen 0 phases.memoir grows.memoir
run_page_test nodes.mjs "{\"run\": {\"url\": \"http://127.0.0.1:$run/\", \"folder\": \"run\"},
    \"history\": {\"url\": \"http://127.0.0.1:$history/\", \"file\": \"days.db\"},
    \"recordings\": {\"url\": \"http://127.0.0.1:$port/\", \"files\": [\"phases.memoir\", \"grows.memoir\"]}}"
