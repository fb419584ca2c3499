#!/usr/bin/env bash
# Which nodes there are: inventories, data folders and configurations; and one configuration with etcd, Prometheus, a Go service on a unix
# socket, a memoir server and a plain process, of which each gives what it has.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

if [ ! -x "$BUILD/memoir-cluster" ]; then
    skip nodes "memoir-cluster is not built: libcurl or libyaml is missing"
    exit 0
fi
list() { # list INPUTS…: as CSV, what is said in list.err
    "$MEMOIR" watch "$@" --list --csv 2>list.err | tail -n +2
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Inventories.
cat >relays.host <<'END'
# written by hand
[name_r1]
10.0.0.1
[name_r2]
10.0.0.11
[name_n1]
2001:db8::21
[role_relay]
10.0.0.1
10.0.0.11
10.0.0.1
[role_node]
2001:db8::21
[all:vars]
region="x"
[role_relay]
10.0.0.12:4160
END
equal "W12 10.0.0.1 is not 10.0.0.11" "r1 r2 10.0.0.12:4160 " "$(list relays.host | cut -d , -f 1 | tr '\n' ' ')"
equal "18.8 ports of the inventory" "http://10.0.0.12:4160" "$(list relays.host | sed -n 3p | cut -d , -f 5)"
equal "18.8 roles and IPv6" "n1,[2001:db8::21]:8580,node,algod,http://[2001:db8::21]:8580" \
    "$(list relays.host --tf-roles node | cut -d , -f 1-5)"
equal "C3 --tf-bi-re selects" "r2" "$("$MEMOIR" watch relays.host --tf-bi-re name_r2 --headers --list --json | jq -r '.[] | select(.captures | index("blockinfo")) | .name')"
echo '{"name_r1":["10.0.0.1"],"role_relay":{"hosts":["10.0.0.1"]}}' >relays.json
equal "18.8 JSON inventories" "r1,10.0.0.1:8580,relay" "$(list relays.json | cut -d , -f 1-3)"

# Data folders.
mkdir -p net/Primary net/Stopped
echo '127.0.0.1:8080 ' >net/Primary/algod.net
echo 'hidden-api-token' >net/Primary/algod.token
echo 'hidden-admin-token' >net/Primary/algod.admin.token
echo 999999999 >net/Primary/algod.pid
equal "C14 a slash at the end" "Primary,Primary,,algod,http://127.0.0.1:8080,yes,,heap rss" "$(list net/Primary/)"
equal "18.2 folders without a node are left out" "Primary" "$(list net/* | cut -d , -f 1)"
one_sentence "18.2 and that is said" list.err 'Stopped.*algod\.net'
equal "17.4 no token is shown" 0 "$("$MEMOIR" watch net/Primary --list --json | grep -c hidden)"

# A wrong configuration says where.
printf 'every: 1s\nnodes:\n  - {name: a, adress: "10.0.0.1:1"}\n' >wrong.yaml
"$MEMOIR" watch wrong.yaml --list >list.out 2>list.err
equal "config-status" 1 $?
one_sentence "config-line" list.err 'wrong\.yaml:3: .adress. is no key of a node; there are name'

# The manual: every configuration in it is read, and every class is in it.
mkdir -p secrets
for file in secrets/etcd.token admin.token worker.token token; do echo hidden-manual-token >"$file"; done
cp relays.host terraform-inventory.host
awk '/^    /{ block = block substr($0, 5) "\n"; next } block { if (block ~ /(^|\n)nodes:/) { file = "manual-" ++n ".yaml"; printf "%s", block >file } block = "" }' "$TOP/docs/nodes.md"
at_least "manual-has-examples" 8 "$(compgen -G 'manual-*.yaml' | wc -l)"
for file in manual-*.yaml; do
    PROM_TOKEN=hidden "$MEMOIR" watch "$file" --list --csv >/dev/null 2>manual.err || { echo "$file: $(cat manual.err)"; }
done >manual.bad
equal "manual-examples-are-read" "" "$(cat manual.bad)"
equal "classes-are-in-the-manual" "" "$(sed -n 's/^\([a-z-]*\):.*/\1/p' "$TOP/src/answers/scrape/nodes/classes.yaml" | while read -r class; do grep -q "^| \`$class\` |" "$TOP/docs/nodes.md" || echo "$class"; done)"

# Everything at once.
name=plain-$$
cp "$(command -v sleep)" "$name"
./"$name" 1000 &
plain=$!
started+=("$plain")
begin_subject grow
begin_server live --pid "$subject" --listen 0
grow_to grow 100
nodes=3 etcd=0
cat >all.yaml <<END
every: 200ms
captures: [heap, metrics, rss]
roles: {worker: '(socket|served)', plain: 'plain'}
classes:
  worker: {like: go, height: held_blocks}
nodes:
  - {name: served, class: memoir, address: '127.0.0.1:$port', pid: $subject}
  - {name: plain, program: $name}
  - {name: dead, class: etcd, address: '127.0.0.1:$(free_port)', timeout: 2s}
END
if command -v etcd >/dev/null; then
    client=$(free_port) peer=$(free_port) nodes=$((nodes + 1))
    etcd --data-dir etcd.data --enable-pprof --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
        --listen-peer-urls "http://127.0.0.1:$peer" >etcd.out 2>&1 &
    etcd=$!
    started+=("$etcd")
    echo "  - {name: etcd-1, class: etcd, address: '127.0.0.1:$client', listens: $client}" >>all.yaml
fi
if command -v prometheus >/dev/null; then
    http=$(free_port) nodes=$((nodes + 1))
    echo 'scrape_configs: []' >prometheus.yml
    prometheus --config.file=prometheus.yml --storage.tsdb.path=prometheus.data --web.listen-address="127.0.0.1:$http" >prometheus.out 2>&1 &
    started+=($!)
    echo $! >prometheus.pid
    echo "  - {name: prom, class: prometheus, base_url: 'http://127.0.0.1:$http/', pidfile: prometheus.pid}" >>all.yaml
fi
if command -v go >/dev/null && CGO_ENABLED=0 go build -o go_socket "$TOP/tests/runtimes/go_socket/main.go" 2>go.err; then
    nodes=$((nodes + 1))
    echo hidden-socket-token >go.token
    ./go_socket "$PWD/go.sock" go.token &
    started+=($!)
    cat >>all.yaml <<END
  - name: socket
    class: worker
    address: unix:$PWD/go.sock
    token_file: go.token
    headers: {X-Watcher: somebody}
    pid: $!
    captures: [heap, goroutine, metrics, cpu, rss]
    record: cpu
cpu: 1s
END
    wait_until 30 test -S go.sock
fi
for address in ${client:+"$client"} ${http:+"$http"}; do
    wait_until 30 curl -sf -o /dev/null "http://127.0.0.1:$address/metrics"
done

"$MEMOIR" watch all.yaml --list >list.txt
equal "list-counts" "$nodes nodes" "$(tail -n 1 list.txt)"
if [ $etcd != 0 ]; then
    equal "a process by its port" "$etcd" "$("$MEMOIR" watch all.yaml --list --json | jq '.[] | select(.name == "etcd-1").pid')"
fi
"$MEMOIR" watch all.yaml -o run 2>watch.err &
watch=$!
started+=("$watch")
captured() { # captured NODE KIND: whether there is one
    compgen -G "run/$1.*.$2" >/dev/null
}
gives() { # gives NODE KINDS…
    local node=$1 kind
    shift
    for kind; do
        if wait_until 30 captured "$node" "$kind"; then ok "$node-gives-$kind"; else not_ok "$node-gives-$kind" "$(grep "$node" run/watch.log | head -n 1)"; fi
    done
    if wait_until 30 test -s "run/$node.heap.csv"; then ok "$node-gives-rss"; else not_ok "$node-gives-rss" "$(grep "$node" run/watch.log | head -n 1)"; fi
}
gives served heap metrics
if wait_until 30 test -s run/plain.heap.csv; then ok plain-gives-rss; else not_ok plain-gives-rss "no line"; fi
[ -z "${client:-}" ] || gives etcd-1 heap metrics
[ -z "${http:-}" ] || gives prom heap metrics
[ ! -S go.sock ] || gives socket heap goroutine metrics profile

# C2: a node that is started again is known again; C1: meanwhile nothing ends.
kill "$plain"
wait "$plain" 2>/dev/null
wait_until 30 has_line run/watch.log 'plain.*no process is called'
./"$name" 1000 &
again=$!
started+=("$again")
pid_told() { cut -d , -f 5 run/plain.heap.csv | grep -qx "$1"; } # pid_told PID
if wait_until 30 pid_told "$again"; then ok "C2 a node that was started again"; else not_ok "C2 a node that was started again" "$(tail -n 2 run/plain.heap.csv)"; fi
if pid_told "$plain"; then ok "C1 a node that ended"; else not_ok "C1 a node that ended" "$(head -n 2 run/plain.heap.csv)"; fi
kill -INT "$watch"
wait "$watch"
equal "ends-in-order" 0 $?

held_in() { # held_in NODE: bytes of its last heap profile
    "$MEMOIR" report "$(compgen -G "run/$1.*.heap" | tail -n 1)" --json 2>/dev/null | jq .summary.heap.leaked_bytes
}
equal "a dead node costs its gaps only" 0 "$(compgen -G 'run/dead.*' | wc -l)"
at_least "and they are told" 1 "$(jq -s '[.[] | select(.node == "dead" and .why != "")] | length' run/fetches.jsonl)"
equal "no other one refuses" 0 "$(jq -s '[.[] | select(.node != "dead" and .node != "plain" and (.why | test("answered [0-9]|no program listens|cannot reach")))] | length' run/fetches.jsonl)"
equal "roles-by-expression" "plain worker" "$(jq -r '.nodes[] | select(.name == "plain" or .name == "served") | .role' run/manifest.json | sort | tr '\n' ' ' | sed 's/ $//')"
equal "the memoir server's profile is exact" 100000 "$(held_in served)"
if [ -S go.sock ]; then
    equal "headers-are-sent" 1 "$(grep -c 'watchers{name="somebody"}' "$(compgen -G 'run/socket.*.metrics' | head -n 1)")"
    equal "recorded-by-memoir" "go_socket" "$("$MEMOIR" report run/socket.memoir --json --top 1 2>/dev/null | jq -r '.recording.program' | xargs basename)"
    equal "class-in-the-manifest" held_blocks "$(jq -r '.classes[] | select(.name == "worker").height' run/manifest.json)"
    at_least "heap-of-the-socket" $((64 << 20)) "$(held_in socket)"
fi
equal "17.4 no secret is in the run" "" "$(grep -rl hidden run watch.err | head -n 1)"
end_server "the server goes on"
