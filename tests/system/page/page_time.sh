#!/usr/bin/env bash
# The timeline of the page and its call sites over time: lanes, zoom and instants have the numbers of memoir report.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server time
"$MEMOIR" run --quiet --map-every 200ms --alert 'rss>1M' -o grows.memoir -- "$subjects/subject-grows" 1 4 >/dev/null 2>&1
begin_server time --listen 0 grows.memoir

total() { # total REPORT-OPTIONS…
    "$MEMOIR" report grows.memoir --json "$@" 2>/dev/null | jq .total.value
}
get '/api/timeline?metric=heap.live&points=12' >line.json
equal time-lane "$(total --metric heap.held)" "$(jq '.lanes[] | select(.metric == "heap.held") | .values[-1]' line.json)"
equal time-alert alert "$(jq -r '[.marks[] | select(.label | startswith("alert"))][0].kind' line.json)"
# Zoomed in, with as many points: the same sums, and more of them.
between=$(jq -r '[.columns.end_ns[2], .columns.end_ns[7]] | map("\(.)ns") | join(",")' line.json)
get "/api/timeline?metric=heap.allocated&points=400&between=$between" >close.json
equal time-zoom-sum "$(total --metric heap.allocated --between "$between")" "$(jq '.columns.allocated | add' close.json)"
equal time-zoom-same "$(jq '.columns.allocated[3:8] | add' line.json)" "$(jq '.columns.allocated | add' close.json)"
at_least time-zoom-detail 6 "$(jq '.columns.end_ns | length' close.json)"
# Sites are functions, at each instant.
at=$(jq '.columns.end_ns[5]' line.json)
get "/api/timeline?metric=heap.live&by=function&top=16&points=12" |
    jq -c --argjson at "$at" '(.instants_ns | index($at)) as $i | [.sites[] | select(.function != null and .values[$i] != 0) | [.function, .values[$i]]] | sort' >web.json
"$MEMOIR" report grows.memoir --json --metric heap.live --by function --at "${at}ns" 2>/dev/null |
    jq -c --slurpfile web web.json '[.rows[] | [.stack[0].function, .value] | select(.[0] as $name | $web[0] | map(.[0]) | index([$name]) != null)] | sort' >cli.json
same_text time-sites cli.json web.json
at_least time-sites-some 1 "$(jq length web.json)"
name=$(jq -r '.[0][0]' web.json)
equal time-filter "$(total --metric heap.live --filter "^$name\$")" \
    "$(get "/api/timeline?metric=heap.live&top=1&filter=%5E$name\$" | jq '[.sites[].values[-1]] | add')"

if ! has_browser; then
    skip time-in-browser "node, the packages of the page or Chromium are missing"
else
    run_page_test time.mjs "http://127.0.0.1:$port/" grows.memoir
    end_server time-ends
    "$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
    "$MEMOIR" run --quiet -o busy.memoir -- "$subjects/subject-phases" busy >/dev/null 2>&1
    begin_server heights --listen 0 phases.memoir busy.memoir
    run_page_test heights.mjs "http://127.0.0.1:$port/"
fi
end_server server-ends
