#!/usr/bin/env bash
# Call graph, source lines and heat map of the page, in Chromium: their numbers are those of the commands.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
. "$TOP/tests/system/page.bash"

if [ ! -x "$BUILD/memoir-graph" ]; then
    skip page-graph "memoir-graph was not built"
    exit 0
fi
need_browser page-graph

"$MEMOIR" run --quiet -o heap.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
"$BUILD/tests/make-moments" time.memoir <<'END'
program /usr/bin/grinder
thread 100 main
thread 101 worker-1
length 4000
on 0 4000 10 100 main;handle;parse@/elsewhere/parse.c:12
on 1000 1200 10 101 main;handle;hash
on 3000 3100 10 101 main;handle
on 3200 3300 10 101 main;handle;parse@/elsewhere/parse.c:12;hash
timeless 3000 10 101 main;handle;hash
off 2500 300 101 main;handle;read;[waits: disk]
END
begin_server both --listen 0 heap.memoir time.memoir --sources "$TOP/tests"
id_of() { # id_of FILE
    get /api/targets | jq -r --arg file "$1" '.targets[] | select(.file == $file) | .id'
}
run_page_test code.mjs "$(jq -n --arg url "http://127.0.0.1:$port/" --arg heap "$(id_of heap.memoir)" \
    --arg time "$(id_of time.memoir)" --arg source "$TOP/tests/subjects/phases.c" '{url: $url, source: $source, heap: $heap, heapFile: "heap.memoir", time: $time, timeFile: "time.memoir"}')"
end_server both-ends
