#!/usr/bin/env bash
# /v1/tree and what belongs to it, on recordings whose every number is known: shape, sums, both directions, errors, several processes,
# a recording that grows, and the description of it all.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"
make_pages=$BUILD/tests/make-pages

need_server tree

# 4 MiB read, 1 MiB allocated and 300 KiB touched in load; 100 KiB touched elsewhere; 500 KiB from before, 200 of them in the cache as well.
cat >small.txt <<'END'
program /usr/bin/light-node
pid 4242
frame main /usr/bin/light-node 1000 main
frame main2 /usr/bin/light-node 1010 main
frame load /usr/bin/light-node 100001100 load
frame load2 /usr/bin/light-node 1180 load
frame touch /usr/bin/light-node 1200 touch
frame read /usr/lib/libc.so.6 5f read
frame alloc /usr/lib/libc.so.6 90 sysmalloc
frame before - 0 [resident before attach]
pages cache 8388608 read load main
pages anon 1048576 alloc load2 main
pages anon 307200 load main
second
pages cache -4194304 read load main
pages kernel 102400 touch main2
pages file 512000 before
pages cache 204800 before
pages swap 9437184 touch main2
second
END
"$make_pages" small.memoir <small.txt >/dev/null
begin_server small small.memoir --listen 0

name() { # name OFFSET FILE FUNCTION CATEGORY
    printf '"name":{"offset":"%s","executable":"%s","functionName":"%s","functionCategory":"%s"}' "$@"
}
main=$(name 00001000 light-node main nodeCpp)
main2=$(name 00001010 light-node main nodeCpp)
load=$(name 00001100 light-node load nodeCpp)
load2=$(name 00001180 light-node load nodeCpp)
touch=$(name 00001200 light-node touch nodeCpp)
read=$(name 0000005f libc.so.6 read systemLib)
alloc=$(name 00000090 libc.so.6 sysmalloc systemLib)
before=$(name 00000000 '[no file]' '[resident before attach]' systemLib)
below='{"name":"underThreshold","value":100,"cacheValue":0}'
v4096='"value":4096,"cacheValue":4096,"frames":['
v1024='"value":1024,"cacheValue":0,"frames":['
v500='"value":500,"cacheValue":500,"frames":['
v300='"value":300,"cacheValue":0,"frames":['
v100='"value":100,"cacheValue":0,"frames":['

callers="{\"value\":6020,\"cacheValue\":4596,\"frames\":[\
{$read,$v4096{$load,$v4096{$main,$v4096]}]}]},\
{$alloc,$v1024{$load2,$v1024{$main,$v1024]}]}]},\
{$before,$v500]},\
{$load,$v300{$main,$v300]}]},"
equal tree "$callers$below]}" "$(get /v1/tree)"
equal threshold-is-256 "$(get /v1/tree)" "$(get '/v1/tree?threshold=256')"
equal threshold-0 "$callers{$touch,$v100{$main2,$v100]}]}]}" "$(get '/v1/tree?threshold=0')"
equal threshold-at-value "$callers{$touch,$v100{$main2,$v100]}]}]}" "$(get '/v1/tree?threshold=100')"
equal trailing-slash "$callers$below]}" "$(get '/v1/tree/?reverse=false&whatever=1')"
equal reverse "{\"value\":6020,\"cacheValue\":4596,\"frames\":[\
{$main,\"value\":5420,\"cacheValue\":4096,\"frames\":[\
{$load,\"value\":4396,\"cacheValue\":4096,\"frames\":[{$read,$v4096]},{\"name\":\"unknown\",\"value\":300,\"cacheValue\":0}]},\
{$load2,$v1024{$alloc,$v1024]}]}]},\
{$before,$v500]},$below]}" "$(get '/v1/tree?reverse=true')"
equal nothing-is-large-enough '{"value":6020,"cacheValue":4596,"frames":[]}' "$(get '/v1/tree?threshold=18446744073709551615')"
equal short '{"total":6020,"cache":4596,"anon":1424,"systemReportAnon":0}' "$(get '/v1/tree?short=true')"
equal pid 4242 "$(get /v1/pid)"
equal type application/json "$(get /v1/tree -o /dev/null -w '%{content_type}')"
equal cors-is-not-for-all "" "$(get /v1/tree -D - -o /dev/null -H 'Origin: https://a.example' | grep -i access-control)"
equal head 200 "$(status_of /v1/tree -I)"

# Our own form has bytes, and what belongs to a node itself apart.
get '/api/pages/tree?reverse=true&threshold=307200' >ours.json
equal ours-head '[4242,"/usr/bin/light-node",2000000000,false,0,"bytes","callees",307200]' \
    "$(jq -c '[.pid, .program, .time_ns, .being_written, .lost_events, .unit, .children, .threshold]' ours.json)"
equal ours-root '[6164480,0,102400,4706304,1355776,512000,0,9437184,4399104,102400]' \
    "$(jq -c '.tree | [.value, .self, .left_out, .cache, .anon, .file, .shmem, .swap, .page_cache, .kernel]' ours.json)"
equal ours-self '["load",4501504,307200,0,"c","/usr/bin/light-node","0x100001100"]' \
    "$(jq -c '.tree.frames[0].frames[0] | [.frame.function, .value, .self, .left_out, .frame.language, .frame.module, .frame.address]' ours.json)"
equal ours-adds-up true "$(jq '[.tree | recurse(.frames[]) | .value == .self + .left_out + ([.frames[].value] | add // 0)] | all' ours.json)"
equal ours-agrees 'true' "$(jq -c --argjson kib "$(get '/v1/tree?threshold=0')" '.tree.value == $kib.value * 1024 and .tree.cache == $kib.cacheValue * 1024' ours.json)"

# What makes no sense.
refused() { # refused CASE STATUS PATTERN PATH CURL-OPTIONS…: with one sentence as JSON
    local case=$1 wanted=$2 pattern=$3 found
    shift 3
    found=$(status_of "$@")
    jq -r .error body >sentence 2>/dev/null
    if [ "$found" = "$wanted" ]; then one_sentence "$case" sentence "$pattern"; else not_ok "$case" "status $found, not $wanted"; fi
}
refused bad-threshold 400 'whole number of KiB' '/v1/tree?threshold=abc'
refused negative-threshold 400 'whole number of KiB' '/v1/tree?threshold=-1'
refused huge-threshold 400 'whole number of KiB' '/v1/tree?threshold=18446744073709551616'
refused empty-threshold 400 'whole number of KiB' '/v1/tree?threshold='
refused endless-threshold 400 'too long' "/v1/tree?threshold=$(printf '1%.0s' $(seq 1100))"
refused bad-reverse 400 'true or false' '/v1/tree?reverse=1'
refused bad-short 400 'true or false' '/v1/tree?short=yes'
refused bad-ours 400 'whole number of bytes' '/api/pages/tree?threshold=1k'
refused bad-pid 400 'PID of a served process' '/v1/tree?pid=init'
refused other-pid 404 'Process 4243 is not served' '/v1/tree?pid=4243'
refused pid-parameter 400 'no parameter' '/v1/pid?threshold=1'
refused openapi-parameter 400 'no parameter' '/openapi/memory-profiler-openapi.json?a=1'
refused no-path 404 'nothing at this path' '/v1/trees'
refused no-method 405 'Only GET' '/v1/tree' -X POST
refused no-host 421 'Host' '/v1/tree' -H 'Host: evil.example'

# The description says what is served.
get /openapi/memory-profiler-openapi.json >openapi.json
same_text openapi-file "$TOP/src/answers/serve/routes/memory-profiler-openapi.json" openapi.json
schema() { # schema NAME: its keys, all of them required
    jq -c ".components.schemas.$1 | if (.required | sort) == (.properties | keys) then .required | sort else \"not all are required\" end" openapi.json
}
get '/v1/tree?reverse=true&threshold=200' >real.json
keys_of() { # keys_of FILTER: of all objects it finds, once
    jq -c "[.. | objects | select($1) | keys] | unique | .[]" real.json
}
equal openapi-version 3.0.0 "$(jq -r .openapi openapi.json)"
equal openapi-root "$(schema Root)" "$(jq -c keys real.json)"
equal openapi-node "$(schema Node)" "$(keys_of '.name | type == "object"')"
equal openapi-rest "$(schema Rest)" "$(keys_of '.name | type == "string"')"
equal openapi-rest-names "$(jq -c .components.schemas.Rest.properties.name.enum openapi.json)" "$(jq -c '[.. | objects | .name? | strings] | unique' real.json)"
equal openapi-name "$(schema Name)" "$(keys_of '.offset')"
equal openapi-totals "$(schema Totals)" "$(get '/v1/tree?short=true' | jq -c keys)"
equal openapi-error "$(schema Error)" "$(get '/v1/tree?reverse=1' | jq -c keys)"
equal openapi-default "$(get /v1/tree)" "$(get "/v1/tree?$(jq -r '[.paths."/v1/tree".get.parameters[] | select(.schema.default != null) | "\(.name)=\(.schema.default)"] | join("&")' openapi.json)")"
equal openapi-refs 0 "$(jq '. as $all | [.. | objects | ."$ref"? // empty | ltrimstr("#/") | split("/") as $path | select($all | getpath($path) == null)] | length' openapi.json)"
equal openapi-paths '/v1/pid /v1/tree' "$(jq -r '.paths | keys | join(" ")' openapi.json)"

# The same sums for Prometheus.
get /metrics | grep '^memoir_pages_bytes' >pages.txt
equal metrics 'anon=1355776 cache=4399104 file=512000 kernel=102400 swap=9437184' \
    "$(sed 's/.*kind="\([a-z]*\)"} /\1=/' pages.txt | sort | tr '\n' ' ' | sed 's/ $//')"
at_least metrics-are-documented 1 "$(grep -cF \`memoir_pages_bytes\` "$TOP/docs/metrics.md")"
end_server small-ends

# Names: Rust's older and newer, C++, C, none; a JIT's code, whose callers stay.
cat >names.txt <<'END'
program /opt/light-node
pid 77
frame rust /opt/light-node 10 _ZN10networking3p2p4peer7receive17hfe17b4d497a1a6cbE
frame llvm /opt/light-node 20 _ZN4core3ptr4read17h0123456789abcdefE.llvm.123
frame v0 /opt/light-node 30 _RNvCs1234_3foo3bar
frame cpp /opt/light-node 40 _ZN7rocksdb6DBImpl3GetEi
frame c /opt/light-node 50 LZ4_compress
frame none /opt/light-node 60 -
frame libcpp /usr/lib/librocksdb.so.7 70 _ZN7rocksdb5Arena8AllocateEm
frame jit - 7f0012345678 -
frame jit2 - 7f0012345abc -
pages anon 40960 rust
pages anon 36864 llvm
pages anon 32768 v0
pages anon 28672 cpp
pages anon 24576 c
pages anon 20480 none
pages anon 16384 libcpp
pages anon 8192 jit rust
pages anon 4096 jit2 rust
second
END
"$make_pages" names.memoir <names.txt >/dev/null
begin_server names names.memoir --listen 0
equal names '["00000010","light-node","networking::p2p::peer::receive::hfe17b4d497a1a6cb","nodeRust"]
["00000020","light-node","core::ptr::read::h0123456789abcdef","nodeRust"]
["00000030","light-node","foo::bar","nodeRust"]
["00000040","light-node","rocksdb::DBImpl::Get(int)","nodeCpp"]
["00000050","light-node","LZ4_compress","nodeCpp"]
["00000060","light-node",null,"nodeCpp"]
["00000070","librocksdb.so.7","rocksdb::Arena::Allocate(unsigned long)","systemLib"]
["00000000","[no file]",null,"systemLib"]' "$(get '/v1/tree?threshold=0' | jq -c '.frames[].name | [.offset, .executable, .functionName, .functionCategory]')"
equal jit-callers '["networking::p2p::peer::receive::hfe17b4d497a1a6cb",12]' "$(get '/v1/tree?threshold=0' | jq -c '.frames[-1].frames[0] | [.name.functionName, .value]')"
equal languages 'rust rust rust cpp c null cpp jit' "$(get '/api/pages/tree?threshold=0' | jq -r '[.tree.frames[].frame.language | tostring] | join(" ")')"
end_server names-ends

# Several processes; one of the heap only; --pid with several files.
printf 'program /bin/other\npid 4300\nheap\nsecond\n' | "$make_pages" other.memoir >/dev/null
printf 'program /bin/young\npid 4400\nsecond\n' | "$make_pages" young.memoir >/dev/null
begin_server several small.memoir names.memoir other.memoir young.memoir --listen 0
equal several-first 4242 "$(get /v1/pid)"
equal several-chosen 77 "$(get '/v1/pid?pid=77')"
equal several-tree 208 "$(get '/v1/tree?pid=77' | jq .value)"
equal several-targets '[[4242,"/usr/bin/light-node","ended",true],[77,"/opt/light-node","ended",true],[4300,"/bin/other","ended",false],[4400,"/bin/young","ended",false]]' \
    "$(get /api/targets | jq -c '[.targets[] | [.pid, .program, .recording, (.metrics | contains(["pages.anon"]))]]')"
refused heap-only 404 'memoir pages' '/v1/tree?pid=4300'
equal nothing-yet '{"value":0,"cacheValue":0,"frames":[]}' "$(get '/v1/tree?pid=4400')"
end_server several-ends
"$MEMOIR" serve small.memoir names.memoir --pid $$ --listen 0 2>both.err
equal both-status 2 $?
one_sentence both both.err 'give one FILE'
"$MEMOIR" serve small.memoir missing.memoir --listen 0 2>missing.err
equal missing-status 1 $?
one_sentence missing missing.err 'missing.memoir'

# One that is not recorded says how.
begin_server alone --pid $$ --listen 0
refused alone 404 "memoir attach $$" /v1/tree
equal alone-pid $$ "$(get /v1/pid)"
end_server alone-ends

# One that grows: its process is there to compare with, and the tree is never older than what was written last.
sleep 1000 &
sleeper=$!
started+=("$sleeper")
mkfifo live.in
"$make_pages" live.memoir <live.in >live.out &
started+=($!)
exec 9>live.in
book() { # book WORDS: in the file when it returns
    local -i seconds
    seconds=$(wc -l <live.out)
    printf '%s\nsecond\n' "$1" >&9
    wait_until 20 has_lines live.out $((seconds + 1))
}
has_lines() { # has_lines FILE COUNT
    [ "$(wc -l <"$1")" -ge "$2" ]
}
value_is() { # value_is KIB
    [ "$(get /v1/tree | jq .value)" = "$1" ]
}
book "program /bin/sleep
pid $sleeper
frame a /bin/sleep 10 a
pages anon 4096000 a"
begin_server live live.memoir --listen 0
equal live-begins 4000 "$(get /v1/tree | jq .value)"
for round in 1 2 3; do
    book "frame b$round /bin/sleep 2$round b$round
pages anon 409600 b$round a"
    if wait_until 10 value_is $((4000 + round * 400)); then ok "live-grows-$round"; else not_ok "live-grows-$round" "$(get /v1/tree)"; fi
done
book 'pages anon -4096000 a'
if wait_until 10 value_is 1200; then ok live-shrinks; else not_ok live-shrinks "$(get /v1/tree)"; fi
equal live-names 'b1 b2 b3' "$(get /v1/tree | jq -r '[.frames[].name.functionName] | join(" ")')"
equal live-anon "$(awk '/^RssAnon/ { print $2 }' "/proc/$sleeper/status")" "$(get '/v1/tree?short=true' | jq .systemReportAnon)"
equal live-target '[true,"being written"]' "$(get /api/targets | jq -c '.targets[0] | [.running, .recording]')"
exec 9>&-
kill "$sleeper"
wait "$sleeper" 2>/dev/null
has_ended() { [ "$(get /api/targets | jq -r '.targets[0].recording')" = ended ]; }
if wait_until 10 has_ended; then ok live-ends; else not_ok live-ends "$(get /api/targets)"; fi
equal live-stays 1200 "$(get /v1/tree | jq .value)"
equal live-anon-ends 0 "$(get '/v1/tree?short=true' | jq .systemReportAnon)"
# Another recording of the same name begins with nothing of the one before.
"$make_pages" live.memoir <small.txt >/dev/null
if wait_until 10 value_is 6020; then ok live-anew; else not_ok live-anew "$(get /v1/tree)"; fi
end_server live-server-ends

# Any stacks: sums hold in every node, and both directions have the same stacks with the same values.
awk 'BEGIN {
    srand(7)
    print "program /bin/n\npid 9"
    for (i = 0; i < 60; i++) printf "frame f%d /lib/l%d.so %x f%d\n", i, i % 5, 4096 + 16 * i, i
    split("anon file shmem swap cache kernel", kind, " ")
    for (i = 0; i < 3000; i++) {
        line = "pages " kind[1 + int(rand() * 6)] " " 4096 * int(1 + rand() * 200)
        for (depth = int(rand() * 12); depth > 0; depth--) line = line " f" int(rand() * rand() * 60)
        print line
        if (i % 500 == 499) print "second"
    }
}' | "$make_pages" any.memoir >/dev/null
begin_server any any.memoir --listen 0
for threshold in 0 1000 5000; do
    for reverse in false true; do
        get "/v1/tree?threshold=$threshold&reverse=$reverse" >"any-$reverse.json"
        equal "any-$threshold-$reverse" '[true,true,true,true]' "$(jq -c --argjson least $threshold '
            [recurse(.frames[]?)] | [
                all(.[]; .value >= .cacheValue and .cacheValue >= 0),
                all(.[]; (.frames // []) == [] or ([.frames[].value] | add) == .value and ([.frames[].cacheValue] | add) == .cacheValue),
                all(.[]; [.frames[]? | select(.frames) | .value] | . == (sort | reverse) and all(.[]; . >= $least)),
                all(.[1:][]; keys_unsorted == ["name", "value", "cacheValue", "frames"] or (keys_unsorted == ["name", "value", "cacheValue"] and (.name | type == "string")))
            ]' "any-$reverse.json")"
    done
    equal "any-$threshold-roots" "$(jq -c '[.value, .cacheValue]' any-false.json)" "$(jq -c '[.value, .cacheValue]' any-true.json)"
done
for reverse in false true; do # every whole stack with what it has itself, outermost first
    get "/v1/tree?threshold=0&reverse=$reverse" | jq -c --argjson reverse $reverse '
        def ends($path): ($path + (if .name then [.name.offset] else [] end)) as $here
            | if .frames == [] then [$here, .value, .cacheValue]
              else (.frames[] | if .name == "unknown" then [$here, .value, .cacheValue] else ends($here) end) end;
        ends([]) | .[0] |= if $reverse then . else reverse end' | sort >"ends-$reverse.txt"
done
same_text any-directions-agree ends-false.txt ends-true.txt
at_least any-has-many 1000 "$(wc -l <ends-true.txt)"
# Clients that go away in the middle, or take nothing, or many at once: nobody waits, nobody gets half of it.
get '/v1/tree?threshold=0' >whole.json
for _ in 1 2 3 4 5; do get '/v1/tree?threshold=0' | head -c 1000 >/dev/null; done
exec 7<>"/dev/tcp/127.0.0.1/$port" # asks, and takes nothing
printf 'GET /v1/tree?threshold=0 HTTP/1.1\r\nHost: localhost\r\n\r\n' >&7
many=()
for i in $(seq 8); do
    get "/v1/tree?threshold=0&reverse=$([ $((i % 2)) = 0 ] && echo true || echo false)" -o "many-$i.json" &
    many+=($!)
done
equal while-others-take-theirs 9 "$(get /v1/pid)"
wait "${many[@]}"
exec 7>&-
for i in 1 3 5 7; do cmp -s whole.json "many-$i.json" || echo "$i"; done >differ.txt
equal many-at-once '' "$(cat differ.txt)"
equal http-1.0 "$(cksum <whole.json)" "$(get '/v1/tree?threshold=0' --http1.0 | cksum)"
equal any-short "$(get '/v1/tree?threshold=0' | jq -c '[.value, .cacheValue]')" "$(get '/v1/tree?short=true' | jq -c '[.total, .cache]')"
end_server any-ends

# A million nodes and more are refused, and a deep stack is not.  Each stack has an innermost frame of its own, so callers share nothing.
awk 'BEGIN {
    print "program /bin/n\npid 9"
    for (i = 0; i < 1000; i++) {
        printf "frame f%d /bin/n %x f%d\n", i, i, i
        callers = callers " f" i
    }
    for (i = 0; i < 1001; i++) printf "frame g%d /bin/n %x g%d\npages anon 4096 g%d%s\n", i, 65536 + i, i, i, callers
    print "second"
}' | "$make_pages" deep.memoir >/dev/null
begin_server deep deep.memoir --listen 0
refused too-many-nodes 400 'larger threshold' '/v1/tree?threshold=0'
equal deep-short 4004 "$(get '/v1/tree?short=true' | jq .total)"
equal deep-stack 2002 "$(get '/v1/tree?threshold=0&reverse=true' | tr -cd '[' | wc -c)"
end_server deep-ends

# A real one, where BPF is allowed: the sum is resident memory to the page, and what is in no file is RssAnon.
"$MEMOIR" agent --socket "$PWD/agent.sock" >agent.log 2>&1 &
agent=$!
started+=("$agent")
if wait_until 20 has_line agent.log 'ready at'; then
    "$MEMOIR" pages --agent "$PWD/agent.sock" --serve --listen 0 -o real.memoir -- sleep 1000 >real.out 2>&1 &
    recorder=$!
    started+=("$recorder")
    wait_until 30 has_line real.out 'serving http://'
    port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' real.out)
    rss() { awk '/^Rss(Anon|File|Shmem)/ { sum += $2 } END { printf "%.0f\n", sum }' "/proc/$(get /v1/pid)/status"; }
    agrees() { get '/v1/tree?short=true' | jq -e --argjson rss "$(rss)" '.total >= $rss and .total - .cache == .systemReportAnon and .systemReportAnon > 0'; }
    if wait_until 30 agrees; then ok real-is-resident-memory; else not_ok real-is-resident-memory "$(get '/v1/tree?short=true'), resident $(rss); $(cat real.out)"; fi
    equal real-program sleep "$(get /api/targets | jq -r '.targets[0].program | split("/") | last')"
    names() { get '/v1/tree?threshold=0&reverse=true' | jq -e '[.. | .functionName? // empty] | any(. == "_start")'; }
    if wait_until 30 names; then ok real-names; else not_ok real-names "$(get '/v1/tree?threshold=0&reverse=true' | head -c 500)"; fi
    sleeper=$(get /v1/pid)
    if [ "${sleeper:-0}" -gt 1 ]; then kill "$sleeper"; else kill "$recorder"; fi
    wait "$recorder" 2>/dev/null
else
    skip real "memoir agent does not run here: $(tail -n 1 agent.log)"
fi
kill "$agent" 2>/dev/null
wait "$agent" 2>/dev/null
true
