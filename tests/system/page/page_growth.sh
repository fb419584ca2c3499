#!/usr/bin/env bash
# Whether memory grows, in Chromium and over HTTP: verdicts, slopes and call sites are those of memoir report.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

need_server page-growth
make_leaky heaptrack.leaky.1
"$MEMOIR" run --quiet -o short.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
awk '{ if (/^c/) n++ } !n || n % 5 == 0' heaptrack.leaky.1 | head -n 100 >heaptrack.sparse.2
"$subjects/subject-grows" 20 8 &
grows=$!
"$MEMOIR" attach --quiet --for 1s -o left.memoir $grows 2>/dev/null
kill $grows
"$MEMOIR" run --quiet --children -o became.memoir -- "$subjects/subject-exec_chain" 1 2>/dev/null
begin_server growth --listen 0 heaptrack.leaky.1 short.memoir heaptrack.sparse.2 left.memoir became.memoir

get '/api/growth' >growth.json
"$MEMOIR" report heaptrack.leaky.1 --json 2>/dev/null | jq -S .growth >cli.json
jq -S .growth growth.json >web.sorted
same_text growth cli.json web.sorted
equal growth-verdicts 'growing growing' "$(jq -r '[.growth.heap.verdict, .growth.rss.verdict] | join(" ")' growth.json)"
equal growth-sites 'leak_here slow_here' "$(jq -r '[.growth.sites[].function] | join(" ")' growth.json)"
equal growth-curves true "$(jq '(.site_curves | length) == 2 and all(.site_curves[]; (.bytes | length) == 24) and (.curves.heap.bytes | length) == (.curves.heap.time_ns | length) and (.curves.heap.line_bytes | length) == 2' growth.json)"
equal growth-limit machine "$(jq -r .limit growth.json)"
"$MEMOIR" report heaptrack.leaky.1 --no-color 2>/dev/null | tr -s ' \n' ' ' >said
grep -qF "$(jq -r .sentences.heap growth.json)" said && grep -qF "$(jq -r .sentences.rss growth.json)" said
equal growth-sentences 0 $?
get '/api/growth?between=20s,90s' >part.json
equal growth-part '20000000000 90000000000 growing' "$(jq -r '"\(.range.from_ns) \(.range.to_ns) \(.growth.heap.verdict)"' part.json)"
equal growth-part-is-within true "$(jq '.growth.heap.from_ns >= 20000000000 and .growth.heap.to_ns <= 90000000000' part.json)"
equal growth-short unknown "$(get '/api/growth?between=20s,30s' | jq -r .growth.heap.verdict)"
equal growth-nonsense 400 "$(status_of '/api/growth?between=x')"

if ! has_browser; then
    skip page-growth "node, the packages of the page or Chromium are missing"
else
    run_page_test growth.mjs "$(jq -n --arg url "http://127.0.0.1:$port/" '{url: $url, file: "heaptrack.leaky.1"}')"
fi
end_server page-growth-server-ends
