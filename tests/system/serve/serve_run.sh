#!/usr/bin/env bash
# memoir serve of runs, and of files that other programs wrote: what is asked over HTTP is what memoir ram and memoir report say of the same.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2034
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

# Words.
mkdir empty nothing
echo hello >nothing/readme
echo hello >no.memoir
for bad in empty nothing no.memoir nowhere; do
    "$MEMOIR" serve --listen 0 $bad 2>err
    equal "bad input $bad: status" 1 $?
done
"$MEMOIR" serve --listen 0 empty 2>err
one_sentence empty-folder err 'empty is not a run of memoir watch'
"$MEMOIR" serve --listen 0 no.memoir 2>err
one_sentence no-recording err 'no.memoir'
"$MEMOIR" serve --listen 0 --pid $$ empty 2>err
one_sentence run-with-pid err 'recording of that process'

# Files of other programs.
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
"$MEMOIR" export phases.memoir --to heaptrack -o heaptrack.out.zst 2>/dev/null
"$MEMOIR" export phases.memoir --to massif -o massif.out 2>/dev/null
"$MEMOIR" export phases.memoir --to pprof -o phases.pb.gz 2>/dev/null
"$MEMOIR" export phases.memoir --to callgrind --metric heap.allocated -o callgrind.out 2>/dev/null
foreign=(heaptrack.out.zst massif.out phases.pb.gz callgrind.out)
begin_server foreign --listen 0 "${foreign[@]}"
get /api/targets >targets.json
equal foreign-targets '[["1","recording","ended"],["2","recording","ended"],["3","recording","ended"],["4","recording","ended"]]' \
    "$(jq -c '[.targets[] | [.id, .kind, .recording]]' targets.json)"
equal foreign-meanings true "$(jq '[.targets[] | (.about | map(.name)) == .metrics and all(.about[]; .meaning != "" and .unit != "")] | all' targets.json)"
for i in 1 2 3 4; do
    file=${foreign[i - 1]}
    metric=$(jq -r ".targets[$i - 1].metrics[0]" targets.json)
    equal "foreign-$file" "$("$MEMOIR" report "$file" --json --metric "$metric" | jq -c '[.metric, .total]')" \
        "$(get "/api/report?target=$i&metric=$metric" | jq -c '[.metric, .total]')"
done
equal side-by-side "$(jq -c '[.targets[].id]' targets.json)" "$(get /api/nodes | jq -c '[.nodes[].targets[0].id]')"
end_server foreign-ends

# A run.
make_small_run run
"$MEMOIR" ram run --json >ram.json
begin_server run --listen 0 run
get /api/targets >targets.json
equal run-targets '[["1","run",null,null],["2","node","alpha","heap"],["3","node","beta","heap"]]' "$(jq -c '[.targets[] | [.id, .kind, .node, .profile]]' targets.json)"
equal run-opens-nothing false "$(jq '[.targets[].open] | any' targets.json)"
get /api/nodes >nodes.json
equal nodes-columns "$(jq -c .columns ram.json)" "$(jq -c .columns nodes.json)"
equal nodes-summary "$(jq -c '[.nodes[] | .summary | map_values([.points, .first, .last, .max, .growth.verdict, .growth.bytes_per_second])]' ram.json)" \
    "$(jq -c '[.nodes[] | .summary | map_values([.points, .first, .last, .max, .growth.verdict, .growth.bytes_per_second])]' nodes.json)"
for column in rss pprof_inuse_space vsz; do
    equal "nodes-values-$column" "$(jq -c "[.nodes[] | [.points[].$column]]" ram.json)" "$(get "/api/nodes?column=$column" | jq -c '[.nodes[].values]')"
done
equal nodes-times "$(jq -c '.nodes[0].points[0].unix_us as $begin | [.nodes[0].points[] | (.unix_us - $begin) * 1000]' ram.json)" "$(jq -c .times_ns nodes.json)"
equal nodes-presence '[["alpha",true,0,73,0],["beta",true,1,71,2],["gamma",true,0,null,null]]' "$(jq -c '[.nodes[] | [.name, .up, .missing, .height, .lag]]' nodes.json)"
equal nodes-between "$(jq '.nodes[0].points | .[2].rss - .[1].rss' ram.json)" "$(get '/api/nodes?between=10m,20m' | jq '.nodes[0].summary.rss.change')"
equal nodes-thinned '[[600000000000,1800000000000],[41984000,44032000],2]' "$(get '/api/nodes?points=2' | jq -c '[.times_ns, .nodes[0].values, .step]')"
equal nodes-bad-column 400 "$(status_of '/api/nodes?column=x')"
equal nodes-bad-time 400 "$(status_of '/api/nodes?between=5,1')"
equal nodes-bad-points 400 "$(status_of '/api/nodes?points=1')"
same() { # same CASE TARGET REPORT-OPTIONS…
    local name=$1 target=$2
    shift 2
    "$MEMOIR" report run --json --metric heap.live "$@" 2>/dev/null | jq -S 'del(.recording.age_ns)' >cli.json
    get "/api/report?metric=heap.live&target=$target" | jq -S 'del(.recording.age_ns)' >web.json
    same_text "$name" cli.json web.json
}
same run-report 1
same node-report 2 --node alpha
same late-node-report 3 --node beta
get '/api/targets?target=3' >targets.json
equal node-opens '[true,true,true]' "$(jq -c '[.targets[].open]' targets.json)"
equal one-clock '[1,1]' "$(jq -c '[.targets[] | select(.kind == "node")] | [(map(.start_unix_ns) | unique | length), (map(.time_ns) | unique | length)]' targets.json)"
equal no-such-target 404 "$(status_of '/api/report?target=99')"
# More comes: a node that was not there, and a profile that is none.
"$MEMOIR" export phases.memoir --to pprof -o "run/d:1.20260528_004000.heap" 2>/dev/null
echo nonsense >run/a:1.20260528_004000.heap
has_targets() { [ "$(get /api/targets | jq '.targets | length')" = "$1" ]; }
if wait_until 30 has_targets 4; then ok run-grows; else not_ok run-grows "$(get /api/targets)"; fi
equal run-ids-stay '[["2","alpha"],["3","beta"],["4","d:1"]]' "$(get /api/targets | jq -c '[.targets[1:][] | [.id, .node]]')"
equal run-unread 1 "$(get /api/nodes | jq .unread_profiles)"
equal run-numbers-after "$("$MEMOIR" ram run --json | jq -c '[.nodes[].summary.pprof_inuse_space.last]')" "$(get /api/nodes | jq -c '[.nodes[].summary.pprof_inuse_space.last]')"
end_server run-ends

# A history.
make_history days.db
sqlite3 other.db 'CREATE TABLE x(y)' 2>/dev/null || printf 'SQLite format 3\0' >other.db
"$MEMOIR" serve --listen 0 other.db 2>err
equal no-history-status 1 $?
one_sentence no-history err 'other.db'
begin_server history --listen 0 phases.memoir days.db
equal history-target '["history","none","days.db"]' "$(get /api/targets | jq -c '.targets[1] | [.kind, .recording, .file]')"
"$MEMOIR" history days.db --json --points | jq -S . >cli.json
get '/api/history?target=2' | jq -S . >web.json
same_text history cli.json web.json
equal history-days 5 "$(jq '.services[0].series[0].points | length' web.json)"
equal history-has-no-stacks 404 "$(status_of '/api/report?target=2')"
equal history-says-why 1 "$(jq -r .error body | grep -c 'is a history')"
equal history-of-recording 404 "$(status_of '/api/history?target=1')"
end_server history-ends

# A run that is being written, of processes of this machine; its watch is killed.
if [ -x "$BUILD/memoir-cluster" ]; then
    sleep 300 &
    sleeper=$!
    started+=("$sleeper")
    mkdir live
    "$MEMOIR" watch "pid:$sleeper" -o live --every 200ms --quiet 2>watch.err &
    watch=$!
    started+=("$watch")
    wait_until 30 test -s live/fetches.jsonl
    begin_server live --listen 0 live
    is_written() { [ "$(get /api/nodes | jq .being_written)" = "$1" ]; }
    if wait_until 30 is_written true; then ok live-is-written; else not_ok live-is-written "$(get /api/nodes)"; fi
    points() { get '/api/nodes?points=20000' | jq '.nodes[0].summary.rss.points'; }
    first=$(points)
    has_more() { [ "$(points)" -gt "$first" ]; }
    if wait_until 30 has_more; then ok live-follows; else not_ok live-follows "$first, then $(points)"; fi
    equal live-rss "$(($(awk '/^VmRSS/ { print $2 }' "/proc/$sleeper/status") * 1024))" "$(get /api/nodes | jq '.nodes[0].summary.rss.last')"
    equal live-has-no-profiles '["run"]' "$(get /api/targets | jq -c '[.targets[].kind]')"
    kill -9 $watch
    wait $watch 2>/dev/null
    if wait_until 30 is_written false; then ok live-ends; else not_ok live-ends "$(get /api/nodes)"; fi
    equal live-all "$("$MEMOIR" ram live --json | jq '.nodes[0].summary.rss.points')" "$(points)"
    end_server live-server-ends

    # The page beside a watch, from its first moment on; it ends with the watch, also when that is killed.
    serve_beside() { # serve_beside FOLDER: $watch, $port
        "$MEMOIR" watch "pid:$sleeper" -o "$1" --every 200ms --serve --listen 0 2>"$1.err" </dev/null &
        watch=$!
        started+=("$watch")
        wait_until 30 has_line "$1.err" 'serving http://' || not_ok "$1-serves" "$(cat "$1.err")"
        port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' "$1.err")
    }
    serve_beside beside
    has_some() { [ "$(points)" -gt 2 ]; }
    if wait_until 30 has_some; then ok beside-follows; else not_ok beside-follows "$(get /api/nodes)"; fi
    equal beside-is-written '["run",true]' "$(get /api/targets | jq -c '.targets[0] | [.kind, .running]')"
    kill -TERM $watch
    wait $watch
    equal beside-ends 0 $?
    is_silent() { ! get /healthz >/dev/null; }
    if wait_until 30 is_silent; then ok beside-server-ends; else not_ok beside-server-ends "it still answers"; fi
    serve_beside killed
    kill -9 $watch
    wait $watch 2>/dev/null
    if wait_until 30 is_silent; then ok killed-server-ends; else not_ok killed-server-ends "it still answers"; fi
    "$MEMOIR" watch "pid:$sleeper" -o refused --for 1s --every 200ms --serve --listen nonsense 2>err
    equal refused-watch-goes-on 0 $?
    equal refused-serve-is-told 1 "$(grep -c 'listen' err)"
else
    skip live "memoir-cluster is not built: libcurl or libyaml is missing"
fi
