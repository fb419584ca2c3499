#!/usr/bin/env bash
# memoir net supervises whatever a template describes: small shell nodes, so that everything that can go wrong is quick to try.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2317
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/net.bash"

if [ ! -x "$BUILD/memoir-cluster" ]; then
    skip net "memoir-cluster was not built: libcurl or libyaml is missing"
    exit 0
fi

# Nodes that say who they are and wait; the second group begins when the first is ready.
cat >two.yaml <<'END'
about: two nodes, then one that finds their files
nodes:
  first:
    count: 2
    scales: yes
    ports: [a]
    env: {GREETING: "hello {name}"}
    files: {"{folder}/config": "port {port.a}\n"}
    command: [sh, -c, 'echo "$GREETING"; cat config; touch ready; exec sleep 1000']
    ready: {file: "{folder}/ready", within: 20s}
  second:
    command: [sh, -c, 'test -e {node.first1.folder}/ready && sleep 1000 & wait', "{net}"]
END
up two two.yaml
equal up-status 0 "$status"
equal environment "hello first1" "$(head -n 1 two/first1.log)"
equal file-with-port "port $(part two first1 ports.a)" "$(sed -n 2p two/first1.log)"
equal order ready "$(part two second state)"
"$MEMOIR" net status two >status.out
equal status-is-well 0 $?
at_least status-lists-all 3 "$(grep -c ' ready ' status.out)"
equal status-json first0,first1,second "$("$MEMOIR" net status two --json | jq -r '[.parts[].name] | join(",")')"
equal status-csv 4 "$("$MEMOIR" net status two --csv | wc -l)"
"$MEMOIR" net up two.yaml -o two 2>again.err
one_sentence already-up again.err 'runs in two: memoir net down two'

# A crash is reported, the others go on.
kill -KILL "$(part two first0 pid)"
crashed() { [ "$(part two first0 state)" = crashed ]; }
if wait_until 20 crashed; then ok crash-is-noticed; else not_ok crash-is-noticed "$(part two first0 state)"; fi
equal crash-says-why "first0 was ended by signal 9 (Killed)" "$(part two first0 why | cut -d';' -f1)"
"$MEMOIR" net status two >status.out
equal status-is-not-well 1 $?
equal others-go-on ready "$(part two first1 state)"

# The keeper is killed: the nodes go on, and down ends them all the same, and nobody else.
sleep 1000 &
stranger=$!
all=$(pids_of two)
kill -KILL "$(jq .keeper two/net.json)"
if wait_until 20 is_gone "$(jq .keeper two/net.json)"; then ok keeper-killed; else not_ok keeper-killed "it is alive"; fi
"$MEMOIR" net status two | head -n 1 >status.out
one_sentence keeper-gone-is-told status.out 'keeper has ended: memoir net down'
# A number that is somebody else's by now: known by when it began.
jq --argjson pid $stranger '(.parts[] | select(.name == "first0")).pid = $pid | (.parts[] | select(.name == "first0")).state = "ready"' two/net.json >changed
cp changed two/net.json
"$MEMOIR" net down two >down.out
equal down-without-keeper 0 $?
nothing_left nothing-left-without-keeper two "$(echo "$all" | grep -vx "$stranger")"
if is_gone $stranger; then not_ok stranger-lives "process $stranger was ended"; else ok stranger-lives; fi
kill $stranger

# Data is kept for the next time, and goes with --fresh.
equal data-is-kept 1 "$(wc -l <two/data/first0/config)"
port=$(part two first0 ports.a)
up two two.yaml
equal ports-are-kept "$port" "$(part two first0 ports.a)"
up two two.yaml --fresh --nodes 3
equal fresh-status 0 "$status"
equal fresh-nodes 3 "$(jq '[.parts[] | select(.name | startswith("first"))] | length' two/net.json)"
all=$(pids_of two)
"$MEMOIR" net down two >down.out
nothing_left nothing-left two "$all"
if [ -e two/data ]; then not_ok no-data-left "$(ls two/data)"; else ok no-data-left; fi
"$MEMOIR" net down two >down.out
equal down-twice 0 $?

# A node is ready when its port takes connections and its address answers.
cat >http.yaml <<'END'
nodes:
  n:
    ports: [a]
    command: [python3, -m, http.server, --bind, 127.0.0.1, "{port.a}"]
    ready: {port: a, url: "http://127.0.0.1:{port.a}/", contains: Directory listing, within: 60s}
END
up http http.yaml
equal ready-by-port-and-address 0 "$status"

# Busy ports, programs that are not there, nodes that fall or never get ready.
cat >busy.yaml <<'END'
nodes: {n: {ports: ["a=PORT"], command: [sleep, "1000"]}}
END
"$MEMOIR" net up two.yaml -o other >/dev/null
nets+=(other)
python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(1000)' >port &
holder=$!
wait_until 20 test -s port
sed -i "s/PORT/$(cat port)/" busy.yaml
up busy busy.yaml
equal busy-status 1 "$status"
one_sentence busy-port busy.err "port $(cat port), which is the a port of n, is in use"
kill $holder
echo 'needs: {there-is-none: some-package}
nodes: {n: {command: [there-is-none]}}' >missing.yaml
up missing missing.yaml
one_sentence missing-program missing.err 'needs the program there-is-none, .*apt-get install some-package'
echo 'nodes: {n: {command: [there-is-none]}}' >nothing.yaml
up nothing nothing.yaml
one_sentence cannot-start nothing.err 'cannot start n: there-is-none: No such file'
echo 'nodes: {m: {command: [sleep, "1000"]}, n: {command: [sh, -c, "echo my last words; exit 3"], ready: {file: /none, within: 20s}}}' >falls.yaml
up falls falls.yaml
equal falls-status 1 "$status"
one_sentence falls falls.err 'n ended with status 3; its log n.log ends: my last words; the network was ended'
nothing_left falls-leaves-nothing falls "$(pids_of falls)"
echo 'nodes: {n: {command: [sleep, "1000"], ports: [a], ready: {port: a, within: 1s}}}' >late.yaml
up late late.yaml
one_sentence late late.err 'n was not ready within 1 s: port [0-9]+ takes no connection'
up none none.yaml
one_sentence no-template none.err 'no template none.yaml: etcd-3'
echo 'nodes: {n: {comand: [x]}}' >typo.yaml
up typo typo.yaml
one_sentence wrong-template typo.err 'typo.yaml, line 1: a group of nodes has no comand'

# One that minds no SIGTERM is killed; one that restarts does so only if asked; children are ended with their node.
cat >stubborn.yaml <<'END'
nodes:
  deaf: {command: [bash, -c, 'trap "" TERM; touch ready; while :; do sleep 1; done'], ready: {file: "{folder}/ready"}}
  falls: {command: [sh, -c, 'test -e once || { touch once; sleep 0.3; exit 1; }; setsid sleep 1000 & wait']}
END
up stubborn stubborn.yaml --restart
again() { [ "$(part stubborn falls restarts)" = 1 ] && [ "$(part stubborn falls state)" = ready ]; }
if wait_until 20 again; then ok restart; else not_ok restart "$(part stubborn falls state)"; fi
all=$(pids_of stubborn)
sed -i 's/"grace_seconds": 10/"grace_seconds": 1/' stubborn/net.json
kill -KILL "$(jq .keeper stubborn/net.json)" # a new keeper reads the shorter patience
"$MEMOIR" net down stubborn >down.out
nothing_left stubborn-is-killed stubborn "$all"

# Nodes that a tool of their own starts in the background, as goal does: setup, pid files, teardown.
cat >tool.sh <<'END'
#!/bin/sh
case $1 in
start) setsid sh -c 'echo $$ >"$1/n.pid"; exec sleep 1000' - "$2" >/dev/null 2>&1 & wait_for=$!; while ! test -s "$2/n.pid"; do sleep 0.01; done ;;
stop) kill "$(cat "$2/n.pid")"; echo stopped >"$2/stopped" ;;
esac
END
chmod +x tool.sh
cat >tool.yaml <<END
setup: [["$PWD/tool.sh", start, "{net}"]]
teardown: [["$PWD/tool.sh", stop, "{net}"]]
nodes: {n: {pid_file: "{net}/n.pid"}}
END
up tool tool.yaml
equal tool-up 0 "$status"
equal tool-pid "$(cat tool/n.pid)" "$(part tool n pid)"
all=$(pids_of tool)
"$MEMOIR" net down tool >down.out
nothing_left tool-leaves-nothing tool "$all"
equal tool-teardown stopped "$(cat tool/stopped)"
up tool tool.yaml
kill -KILL "$(part tool n pid)"
crashed() { [ "$(part tool n state)" = crashed ]; }
if wait_until 20 crashed; then ok tool-crash-is-noticed; else not_ok tool-crash-is-noticed "$(part tool n state)"; fi

# Interrupted while it waits: all is ended.
echo 'nodes: {n: {command: [sleep, "1000"], ready: {file: /none, within: 100s}}}' >wait.yaml
"$MEMOIR" net up wait.yaml -o wait >wait.out 2>wait.err &
upping=$!
nets+=(wait)
started() { [ "$(part wait n state)" = started ] && [ "$(part wait n pid)" != null ]; }
wait_until 20 started
all=$(pids_of wait)
kill -TERM $upping
wait $upping
nothing_left interrupted-leaves-nothing wait "$all"
true
