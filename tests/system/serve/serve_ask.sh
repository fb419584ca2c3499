#!/usr/bin/env bash
# What is asked over HTTP is what `memoir report` says of the same recording, also of one that grows.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-phases" >/dev/null 2>&1
begin_server ended --listen 0 phases.memoir
same() { # same CASE PATH REPORT-OPTIONS…: but for when it was asked
    local name=$1 path=$2
    shift 2
    get "$path" >web.json
    "$MEMOIR" report phases.memoir --json "$@" 2>/dev/null | jq -S 'del(.recording.age_ns)' >cli.json
    jq -S 'del(.recording.age_ns)' web.json >web.sorted
    same_text "$name" cli.json web.sorted
}
same report '/api/report?metric=heap.allocated' --metric heap.allocated
same by-function '/api/report?metric=heap.live&by=function&at=50%25' --metric heap.live --by function --at 50%
same between '/api/report?metric=heap.allocated&between=10%25,90%25&top=3' --metric heap.allocated --between 10%,90% --top 3
same filter '/api/report?metric=heap.allocated&filter=main' --metric heap.allocated --filter main
same phases '/api/report?metric=heap.allocated&by=phase' --metric heap.allocated --by phase
same sides '/api/report?metric=heap.allocated,heap.calls&by=function' --metric heap.allocated,heap.calls --by function

get /api/info >web.json
equal info-stacks "$("$MEMOIR" info phases.memoir --json | jq .contents.stacks)" "$(jq .contents.stacks web.json)"
equal info-file "$("$MEMOIR" info phases.memoir --json | jq -c .file)" "$(jq -c .file web.json)"

total=$("$MEMOIR" report phases.memoir --json --metric heap.allocated | jq .total.value)
get '/api/flame?metric=heap.allocated' >flame.json
equal flame-total "$total" "$(jq .total flame.json)"
equal flame-root "$total" "$(jq '.trees[0].nodes[2]' flame.json)"
equal flame-callers-root "$total" "$(jq '.trees[1].nodes[2]' flame.json)"
# The sum of what stands right below the root, where nodes are frame, depth, value, count.
equal flame-children "$total" "$(jq '[.trees[0].nodes | range(4; length; 4) as $i | select(.[$i + 1] == 1) | .[$i + 2]] | add' flame.json)"
at_most flame-frames 30 "$(get '/api/flame?metric=heap.allocated&frames=20' | jq '.trees[0].nodes | length / 4')"

get '/api/timeline?metric=heap.allocated&points=50' >line.json
equal timeline-sum "$total" "$(jq '.columns.allocated | add' line.json)"
at_most timeline-points 51 "$(jq '.columns.end_ns | length' line.json)"
equal timeline-lengths true "$(jq '([.columns[] | length] | unique | length) == 1 and ([.sites[].values | length] + [.instants_ns | length] | unique | length) == 1' line.json)"
at_least timeline-phases 1 "$(jq '[.marks[] | select(.kind == "phase")] | length' line.json)"
live=$("$MEMOIR" report phases.memoir --json --metric heap.live | jq .total.value)
equal timeline-sites "$live" "$(get '/api/timeline?metric=heap.live' | jq '[.sites[].values[-1]] | add')"

if [ -x "$BUILD/memoir-graph" ]; then
    for options in '' '--focus main' '--node-thres 20 --nodes 3' '--by module'; do
        # shellcheck disable=SC2086
        "$MEMOIR" graph phases.memoir -o cli.json --metric heap.allocated $options
        get "/api/graph?metric=heap.allocated&$(echo "$options" | sed 's/--//g; s/\([a-z]\) /\1=/g; s/ /\&/g')" >web.json
        same_text "graph $options" cli.json web.json
    done
fi
equal graph-main "$("$MEMOIR" report phases.memoir --json --metric heap.allocated --by function | jq '.rows[] | select(.stack[0].function == "main") | .total_value')" \
    "$(get '/api/graph?metric=heap.allocated' | jq '.nodes[] | select(.function == "main") | .total')"

get '/api/diff?metric=heap.allocated&by=function&between=0%25,50%25&with=50%25,100%25' | jq -S 'del(.before.name, .after.name, .before.file, .after.file)' >web.sorted
"$MEMOIR" diff phases.memoir --json --metric heap.allocated --by function --between 0%,50% --with 50%,100% | jq -S 'del(.before.name, .after.name, .before.file, .after.file)' >cli.json
same_text diff cli.json web.sorted
get '/api/diff?metric=heap.live&at=mark:block%202&with-at=100%25' | jq -S 'del(.before.name, .after.name, .before.file, .after.file)' >web.sorted
"$MEMOIR" diff phases.memoir --json --metric heap.live --at 'mark:block 2' --with-at 100% | jq -S 'del(.before.name, .after.name, .before.file, .after.file)' >cli.json
same_text diff-instants cli.json web.sorted
at_least diff-instants-rows 1 "$(jq '.rows | length' web.sorted)"
get '/api/diff/flame?metric=heap.allocated&between=0%25,50%25&with=50%25,100%25' >flame.json
get '/api/diff?metric=heap.allocated&by=function&between=0%25,50%25&with=50%25,100%25' >web.sorted
equal diff-flame-sides "$(jq -c '[.before.value, .after.value, .before.count, .after.count]' web.sorted)" \
    "$(jq -c '[.before.value, .after.value, .before.count, .after.count]' flame.json)"
equal diff-flame-root "$(jq -c '[.before.value, .after.value]' flame.json)" "$(jq -c '.flame.trees[0].changes[0:2]' flame.json)"
equal diff-flame-width "$(jq '.before.value + .after.value' flame.json)" "$(jq '.flame.trees[1].nodes[2]' flame.json)"
equal diff-flame-net "$(jq .change web.sorted)" "$(jq '.grown - .shrunk' flame.json)"
equal diff-flame-kinds true "$(jq '. as $all | [.flame.trees[0].changes | range(5; length; 6) as $i | .[$i] - $all.kinds_from | $all.kinds[.]] | all(. != null)' flame.json)"
at_least diff-rows 1 "$(jq '.rows | length' web.sorted)"

refused() { # refused CASE PATH WORDS
    equal "$1-status" 400 "$(status_of "$2")"
    grep -q "$3" body && ! grep -q -- '--' body
    equal "$1-sentence" 0 $?
}
refused metric '/api/report?metric=heap.leake' 'did you mean heap.leaked'
refused time '/api/report?at=yesterday' 'at cannot be'
refused between '/api/flame?between=1h,2h' 'recording'
refused filter '/api/flame?filter=(' 'is no regular expression'
refused grouping '/api/report?metric=heap.live,heap.calls&by=stack' 'side by side'
equal explain-none 404 "$(status_of /api/explain)"
refused diff-alone '/api/diff?metric=heap.allocated' 'with is another time range'
refused graph '/api/graph?node-thres=200' 'is no share'
refused graph-by '/api/graph?by=thread' 'by is function, line or module'
refused diff-other '/api/diff?metric=heap.allocated&other=9' 'no target .*9.* to compare with'
refused diff-threads '/api/diff?metric=heap.allocated&by=thread&with=1,2' 'stack, function, module or line'
refused diff-frames '/api/diff/flame?metric=heap.allocated&with=1,2&frames=no' 'frames is a whole number'
refused frames '/api/flame?frames=0' 'frames is a whole number from 1'
refused points '/api/timeline?points=x' 'points is a whole number'
end_server ended-ends

# Frames without a name are called by where they are, in pictures too.
strip -o nameless "$subjects/subject-phases"
"$MEMOIR" run --quiet -o nameless.memoir -- ./nameless >/dev/null 2>&1
begin_server nameless --listen 0 nameless.memoir
"$MEMOIR" report nameless.memoir --json --metric heap.allocated --by function | jq -r '.rows[].stack[0].function' | grep '^nameless+0x' | sort >cli.names
get '/api/flame?metric=heap.allocated' | jq -r '.strings[]' | grep '^nameless+0x' | sort >web.names
at_least nameless-there 1 "$(wc -l <cli.names)"
same_text nameless cli.names web.names
end_server nameless-ends

# One that grows.
begin_subject grows
wait_until 30 test -s grows.memoir
begin_server growing --listen 0 --pid "$subject"
grow_to grows 100
has_some() { [ "$(get '/api/report?metric=heap.allocated' | jq '.total.value // 0')" -ge 100000 ]; }
wait_until 30 has_some
equal has-some 0 $?
first=$(get '/api/report?metric=heap.allocated' | jq .total.value)
grow_to grows 200
has_grown() { [ "$(get '/api/report?metric=heap.allocated' | jq .total.value)" -gt "$first" ]; }
wait_until 30 has_grown
equal grows 0 $?
is_explained() { [ "$(status_of /api/explain)" = 200 ]; }
wait_until 60 is_explained
equal explained 0 $?
exec 9>&-
end_server growing-ends

# Whose its pages are, after it has ended.
wait_until 30 is_gone "$subject"
wait_until 30 has_line grows.err "memoir: recorded"
begin_server ended-pages --listen 0 grows.memoir
get '/api/explain?top=5' | jq -S 'del(.. | .age_ns?)' >web.sorted
"$MEMOIR" explain grows.memoir --json --top 5 | jq -S 'del(.. | .age_ns?)' >cli.json
same_text explain cli.json web.sorted
end_server ended-pages-ends
