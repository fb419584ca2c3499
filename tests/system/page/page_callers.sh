#!/usr/bin/env bash
# Callers and callees of a function in the page, in Chromium: the sums of memoir report, also where functions call themselves.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_browser page-callers
"$MEMOIR" run --quiet -o recurses.memoir -- "$subjects/subject-recurses" >/dev/null 2>&1
begin_server callers --listen 0 recurses.memoir

# The route by itself.
get '/api/callers?metric=heap.allocated&function=visit' >visit.json
equal route-total 500 "$(jq .total.value visit.json)"
equal route-sums '500 500' "$(jq -r '"\([.callers[].value] | add) \([.callees[].value] | add)"' visit.json)"
equal route-pictures '500 500' "$(jq -r '.flame.trees | "\(.[0].nodes[2]) \(.[1].nodes[2])"' visit.json)"
equal route-gap visit_one "$(get '/api/callers?metric=heap.allocated&function=vis%E2%80%A6_one' | jq -r .function)"
equal route-none 404 "$(status_of '/api/callers?metric=heap.allocated&function=nobody')"
equal route-other-module 404 "$(status_of '/api/callers?metric=heap.allocated&function=visit&module=nothing')"
equal route-nothing 400 "$(status_of /api/callers)"
equal route-frames 400 "$(status_of '/api/callers?function=visit&frames=0')"

run_page_test one.mjs callers "$(jq -n --arg url "http://127.0.0.1:$port/" '{url: $url, file: "recurses.memoir"}')"
run_page_test one.mjs flame '{}'
end_server page-callers-ends
