#!/usr/bin/env bash
# memoir serve and strangers: wrong names, tokens and methods, nonsense, the slow and the many.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

need_server serve_security

record leaks.memoir --quiet -- "$subjects/subject-made_code"
sleep 1000 &
sleeper=$!
started+=("$sleeper")
hex='0x[0-9a-f]{6,}|^[0-9a-f]{12}'

begin_server loopback leaks.memoir --pid "$sleeper" --listen 0
"$subjects/subject-http_strangers" "$port"
at_most memory-after-strangers 65536 "$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")"
equal another-origin 403 "$(status_of /metrics -H 'Origin: http://evil.example' -D headers)"
one_sentence another-origin-sentence body 'page of another site: .* --allow-origin'
equal no-cors 0 "$(grep -ci access-control headers)"
equal no-frames 1 "$(grep -ci 'x-frame-options: deny' headers)"
equal no-sniff 1 "$(grep -ci 'x-content-type-options: nosniff' headers)"
equal addresses-for-this-machine yes "$(get /debug/memory | grep -Eq "$hex" && echo yes)"
equal none-through-a-proxy "" "$(get /debug/memory -H 'X-Forwarded-For: 10.0.0.1' | grep -E "$hex")"
end_server loopback-ends

# Expressions that are made to cost, over names that are made for them: refused, or answered, in little memory; and the server goes on.
{
    printf 'events: Ir\nfl=(1) a.c\nfn=(1) '
    head -c 1000000 /dev/zero | tr '\0' a
    printf '\n1 100\nfn=(2) '
    head -c 1000000 /dev/zero | tr '\0' a | sed 's/aaaaaaaaaaaa/std::vector</g'
    printf '\n1 100\nfn=(3) '
    awk 'BEGIN { srand(1); for (i = 0; i < 300000; i++) printf "%s", rand() < 0.5 ? "a" : "b" }'
    printf '\n1 100\n'
} >callgrind.out.names
begin_server patterns callgrind.out.names --listen 0
# Without a bound it would take all that the machine has.
prlimit --pid "$server" --as=$((2 << 30)):$((2 << 30))
ask_pattern() { # ask_pattern ROUTE PARAMETER EXPRESSION: the status
    printf '%s' "$3" >expression
    status_of "$1" --max-time 100 -G --data-urlencode "$2@expression"
}
bomb='(((a{1,255}){1,255}){1,255}){1,255}'
for route in report flame timeline heat info 'callers?function=main' 'export?to=folded'; do
    equal "bomb-$route" 400 "$(ask_pattern "/api/$route" filter "$bomb")"
    one_sentence "bomb-$route-sentence" body 'too large a regular expression'
done
for parameter in root leaf path; do
    equal "bomb-graph-$parameter" 400 "$(ask_pattern /api/graph $parameter "$bomb")"
    one_sentence "bomb-graph-$parameter-sentence" body 'too large a regular expression'
done
names=0
while IFS= read -r expression; do
    names=$((names + 1))
    equal "costly-$names" 200 "$(ask_pattern /api/report filter "$expression")"
    equal "costly-graph-$names" 200 "$(ask_pattern /api/graph path "$expression")"
done <<'END'
(a+)+$
(.*)*x
(a|a)*[yz]
a*[yz]
(a*)*(a*)*(a*)*[yz]
std::vector<.*>::push_[bc]
(x+x+)+y
END
# Many who ask for that and go: what nobody waits for any more is not worked out, and who is gone before the server looks is nobody.
lines=()
for _ in {1..60}; do
    exec {line}<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /api/report?filter=%%28a%%2A%%29%%2A%%28a%%2A%%29%%2A[yz] HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&"$line"
    lines+=("$line")
done
sleep 0.5
for line in "${lines[@]}"; do exec {line}>&-; done
gone() {
    get /metrics | awk '/^memoir_serve_requests_total.result="(left|refused)"/ { sum += $2 } END { print sum + 0 }'
}
at_least gone-before-their-turn 10 "$(gone)"
equal alternation 200 "$(ask_pattern /api/report filter "$(printf 'a%.0s|' {1..400} | head -c 1000)b")"
equal too-much-work 400 "$(ask_pattern /api/report filter '[ab]*a[ab]{4000}[yz]')"
one_sentence too-much-work-sentence body 'too much work for [1-3] of the names: use fewer'
equal graph-too-much-work 400 "$(ask_pattern /api/graph root '[ab]*a[ab]{4000}[yz]')"
one_sentence graph-too-much-work-sentence body 'too much work for [1-3] of the names: use fewer'
"$MEMOIR" report callgrind.out.names --filter '[ab]*a[ab]{4000}[yz]' >/dev/null 2>work.err
equal too-much-work-report 1 $?
one_sentence too-much-work-report-sentence work.err 'memoir report: the expression .* too much work'
equal back-reference 400 "$(ask_pattern /api/report filter '(a*)*\1')"
head -c 1000000 /dev/zero | tr '\0' '(' >expression
megabyte=$(status_of /api/report -G --data-urlencode filter@expression)
case $megabyte in
    000 | 400 | 414 | 431) ok megabyte-of-expression ;;
    *) not_ok megabyte-of-expression "$megabyte: $(head -c 200 body)" ;;
esac
equal goes-on 200 "$(ask_pattern /api/report filter '^std')"
at_most memory-after-patterns 131072 "$(awk '/^VmHWM/ { print $2 }' "/proc/$server/status")"
end_server patterns-ends

# The folder of a run, from a stranger: what is no file is not waited for, nor read without end.
mkdir strange
mkfifo strange/manifest.json strange/fetches.jsonl strange/a:1.20260528_000000.heap strange/a:1.heap.csv
ln -s /dev/zero strange/b:1.20260528_000000.heap
ln -s /dev/zero strange/b:1.heap.csv
ln -s /proc/kmsg strange/c:1.20260528_000000.heap
ln -s /proc/kmsg strange/c:1.20260528_000000.metrics
printf 'heap profile: 1: 64 [1: 64] @ heap/1048576\n1: 64 [1: 64] @ 0x1 0x2\n' >strange/d:1.20260528_000000.heap
begin_server strange strange --listen 0
equal strange-nodes "1 4" "$(get /api/targets | jq -r '[[.targets[] | select(.kind == "run")], [.targets[] | select(.profile == "heap")] | length] | @tsv' | tr '\t' ' ')"
for node in a b c d; do
    id=$(get /api/targets | jq -r "first(.targets[] | select(.nick == \"$node:1\" and .profile == \"heap\")).id")
    equal "strange-$node" "$([ $node = d ] && echo 200 || echo 404)" "$(status_of "/api/report?target=$id")"
done
equal strange-nodes-are-told 200 "$(status_of /api/nodes)"
equal strange-goes-on 200 "$(status_of /healthz)"
end_server strange-ends
mkfifo nobody-writes
timeout -k 5 2 "$MEMOIR" serve nobody-writes --listen 0 2>nobody.err # ended by the first signal
equal a-pipe-can-be-left 124 $?

# Another address of this machine stands for another machine.
outside=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '^[0-9.]*$')
"$MEMOIR" serve leaks.memoir --listen 0.0.0.0:0 2>open.err
equal needs-token-status 1 $?
one_sentence needs-token open.err 'give --token-file'
echo short >short
"$MEMOIR" serve leaks.memoir --listen 0 --token-file short 2>short.err
one_sentence short-token short.err '5 characters.*urandom'
"$MEMOIR" serve leaks.memoir --listen 0 --token-file none 2>none.err
one_sentence no-token-file none.err 'none: No such file'
"$MEMOIR" serve leaks.memoir --listen nowhere:80 2>nowhere.err
equal bad-address-status 2 $?
one_sentence bad-address nowhere.err 'ADDRESS:PORT'

head -c 32 /dev/urandom | base64 >token
chmod 600 token
begin_server token leaks.memoir --pid "$sleeper" --listen 0.0.0.0:0 --token-file token
with_token=(-H "Authorization: Bearer $(cat token)")
equal without-token 401 "$(status_of /metrics)"
one_sentence without-token-sentence body 'Authorization: Bearer'
equal wrong-token 401 "$(status_of /metrics -H "Authorization: Bearer $(tr 'A-Za-z' 'B-ZAb-za' <token)")"
equal token-in-the-query 401 "$(status_of "/metrics?token=$(cat token)")"
equal post-without-token 401 "$(status_of /metrics -X POST)"
equal health-without-token 401 "$(status_of /healthz)"
equal with-token 200 "$(status_of /metrics "${with_token[@]}")"
equal token-is-not-in-ps 0 "$(tr '\0' ' ' <"/proc/$server/cmdline" | grep -c -F "$(cat token)")"
if [ -n "$outside" ]; then
    from_outside() { # from_outside PATH
        curl -s --max-time 20 "${with_token[@]}" "http://$outside:$port$1"
    }
    equal outside-is-served 0 "$(from_outside /metrics >outside.txt; echo $?)"
    equal outside-map-has-no-addresses "" "$(from_outside /debug/memory | grep -E "$hex")"
    equal outside-json-has-no-addresses "" "$(from_outside '/debug/memory?format=json' | grep -E '"(start|end|address)"')"
    equal outside-text-has-no-addresses "" "$(from_outside '/debug/pprof/heap?debug=1' | grep -E '0x[0-9a-f]{9,}')"
    from_outside /debug/pprof/heap >outside.pb.gz
    go tool pprof -raw outside.pb.gz >outside.raw 2>&1
    equal outside-profile-has-no-addresses "" "$(grep -E '0x[0-9a-f]{9,}' outside.raw)"
    curl -s "${with_token[@]}" "http://127.0.0.1:$port/debug/pprof/heap" >inside.pb.gz
    go tool pprof -raw inside.pb.gz >inside.raw 2>&1
    equal inside-profile-has-addresses yes "$(grep -Eq '0x[0-9a-f]{9,}' inside.raw && echo yes)"
    equal the-same-total "$(go tool pprof -top -unit B inside.pb.gz 2>/dev/null | grep accounting)" \
        "$(go tool pprof -top -unit B outside.pb.gz 2>/dev/null | grep accounting)"
else
    skip outside "this machine has no address but loopback"
fi
end_server token-ends

begin_server shared leaks.memoir --listen 0 --allow-origin https://grafana.example --allow-host proxy.example
get /metrics -H 'Origin: https://grafana.example' -D headers -o /dev/null
equal cors-when-told 1 "$(grep -ci 'access-control-allow-origin: https://grafana.example' headers)"
equal preflight 204 "$(status_of /metrics -X OPTIONS -H 'Origin: https://grafana.example')"
equal cors-for-one 403 "$(status_of /metrics -H 'Origin: https://evil.example' -D headers)"
equal cors-for-one-header 0 "$(grep -ci access-control headers)"
equal another-site-that-is-allowed 200 "$(status_of /metrics -H 'Origin: https://grafana.example' -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: cors')"
equal another-site-without-origin 403 "$(status_of /metrics -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: no-cors')"
equal host-when-told 200 "$(status_of /metrics -H 'Host: proxy.example')"
end_server shared-ends

# Ends in order while somebody waits for an answer.
begin_subject grow
begin_server busy --pid "$subject" --listen 0
grow_to grow 100
has_heap() {
    [ "$(status_of /debug/pprof/heap)" = 200 ]
}
wait_until 30 has_heap || not_ok busy-has-heap "$(get /debug/pprof/heap)"
get '/debug/pprof/heap?seconds=300' -o waited -w '%{http_code}' >waited.status &
waiting=$!
wait_until 10 test -n "$(get /healthz)"
sleep 0.3
end_server busy-ends
wait "$waiting"
equal whoever-waits-is-told 503 "$(cat waited.status)"
exec 9>&-
