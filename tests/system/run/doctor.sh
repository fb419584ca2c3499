#!/usr/bin/env bash
# memoir doctor: it tries, tells the truth, and says what to type.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

state_of() { # state_of FILE GROUP NAME
    jq -r --arg group "$2" --arg name "$3" \
        '.checks[] | select(.group == $group and .name == $name) | .state' "$1"
}

"$MEMOIR" doctor --json >all.json 2>err
equal works-status 0 $?
equal quiet "" "$(cat err)"
equal run ok "$(state_of all.json works run)"
equal abilities "run attach sampling pages cpu" \
    "$(jq -r '[.checks[] | select(.group == "works") | .name] | join(" ")' all.json)"
equal nothing-is-told-to-be-missing-that-is-there 0 "$(jq '[.checks[] | select(.found | test("not in this version"))] | length' all.json)"
equal states-are-known 0 "$(jq '[.checks[] | select(.state | IN("ok", "limited", "missing", "note") | not)] | length' all.json)"
equal everything-says-why 0 "$(jq '[.checks[] | select(.found == "")] | length' all.json)"
equal capabilities 7 "$(jq '[.checks[] | select(.name | startswith("CAP_"))] | length' all.json)"
equal nothing-left-behind "" "$(find . -name 'memoir-doctor*')"

# What it says is so: the kernel's files and dpkg agree.
if [ -r /sys/kernel/btf/vmlinux ]; then equal btf ok "$(state_of all.json kernel BTF)"; fi
equal glibc "$(ldd --version | sed -n '1s/.* //p')" "$(jq -r '.checks[] | select(.name == "glibc") | .found' all.json)"
equal libc-debug-file ok "$(state_of all.json symbols libc)" # libc6-dbg is among the test packages

# For people: the same, without colour in a pipe.
"$MEMOIR" doctor >text
at_least text-has-all "$(jq '.checks | length' all.json)" "$(grep -Ec '^  (ok|limited|missing|note) ' text)"
if grep -q $'\033' text; then not_ok text-plain "colour in a pipe"; else ok text-plain; fi
script -qec "$MEMOIR doctor" /dev/null </dev/null >terminal
if grep -q $'\033\\[' terminal; then ok terminal-coloured; else not_ok terminal-coloured "no colour on a terminal"; fi

# A folder where nothing can be written is told, with what to do; run itself still works.
"$MEMOIR" doctor --folder /proc --json >proc.json
equal folder-status 0 $?
equal folder missing "$(state_of proc.json disk recordings)"

# A memoir that is not whole: run does not work, and the status says so.
mkdir part
cp "$BUILD/memoir" "$BUILD/memoir-record" part
part/memoir doctor --json >part.json
equal no-library-status 1 $?
equal no-library missing "$(state_of part.json programs libmemoir.so)"
equal no-library-run missing "$(state_of part.json works run)"
if jq -e '.checks[] | select(.name == "run") | .found | test("libmemoir.so")' part.json >/dev/null; then
    ok no-library-said
else
    not_ok no-library-said "$(cat part.json)"
fi
rm part/memoir-record
part/memoir doctor --json >part.json
equal no-recorder-status 1 $?
equal no-recorder missing "$(state_of part.json programs memoir-record)"

# As nobody: less is allowed, and it says how to get it; run works all the same.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open_house
    as_nobody "$house/memoir" doctor --json >nobody.json
    equal nobody-status 0 $?
    equal nobody-ptrace limited "$(state_of nobody.json permissions CAP_SYS_PTRACE)"
    equal nobody-command "run memoir with sudo" \
        "$(jq -r '.checks[] | select(.name == "CAP_SYS_PTRACE") | .command' nobody.json)"
else
    skip nobody "only root can become another user"
fi

# One process: whether it can be attached to, and why not.
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null; leave_house' EXIT
mkfifo in
"$subjects/subject-grows_on_demand" <in >grows.out &
started+=($!)
exec 9>in
wait_until 30 has_line grows.out ready
"$MEMOIR" doctor "${started[0]}" --json >process.json
equal process-status 0 $?
equal process-attach ok "$(state_of process.json works attach)"
equal process-command "memoir attach ${started[0]}" "$(jq -r '.checks[0].command' process.json)"
equal process-libc "glibc $(ldd --version | sed -n '1s/.* //p')" \
    "$(jq -r '.checks[] | select(.name == "libc") | .found' process.json)"

refused() { # refused CASE PID PATTERN
    "$MEMOIR" doctor "$2" --json >"$1.json" 2>"$1.err"
    equal "$1-status" 1 $?
    if jq -re '.checks[0] | select(.state == "missing") | .found' "$1.json" | grep -Eqi "$3"; then
        ok "$1"
    else
        not_ok "$1" "$(cat "$1.json" "$1.err")"
    fi
}
kill -STOP "${started[0]}"
wait_until 30 grep -q '^State:.T' "/proc/${started[0]}/status"
refused stopped "${started[0]}" 'kill -CONT'
kill -CONT "${started[0]}"
"$MEMOIR" run -o held.memoir -- "$subjects/subject-waits_to_be_killed" >held.out 2>&1 &
started+=($!)
for _ in $(seq 200); do
    held=$(pgrep -f "^$subjects/subject-waits_to_be_killed" | head -n 1)
    [ -n "$held" ] && grep -q 'memoir' "/proc/$held/maps" 2>/dev/null && [ -s held.memoir ] && break
    sleep 0.05
done
started+=("$held")
refused recorded "$held" 'recorded already'
equal recorded-where "$PWD/held.memoir" \
    "$(jq -r '.checks[] | select(.name == "recorded") | .found' recorded.json | sed 's/^to //')"
echo 'int pause(void); int main(void) { return pause(); }' >static.c
if gcc -static -o static static.c 2>/dev/null; then
    ./static &
    started+=($!)
    wait_until 30 grep -q static "/proc/$!/comm"
    refused static $! 'static'
    equal static-shown missing "$(state_of static.json process linking)"
else
    skip static "no static libc"
fi
# Pages: without an agent, and with one.
"$MEMOIR" doctor --agent "$PWD/agent.sock" --json >noagent.json
equal no-agent limited "$(state_of noagent.json pages agent)"
if [ -x "$BUILD/memoir-agent" ] && [ "$(id -u)" = 0 ] && [ -r /sys/kernel/btf/vmlinux ]; then
    . "$TOP/tests/system/agent.bash"
    equal no-agent-command "memoir agent --socket $PWD/agent.sock" "$(jq -r '.checks[] | select(.group == "pages" and .name == "agent") | .command' noagent.json)"
    begin_agent || not_ok agent-begins "$(cat agent.err)"
    "$MEMOIR" doctor --agent "$socket" --json >agent.json
    equal agent-answers ok "$(state_of agent.json pages agent)"
    equal agent-pages ok "$(state_of agent.json works pages)"
    "$MEMOIR" doctor --agent "$socket" "${started[0]}" --json >agent.json
    equal process-pages ok "$(state_of agent.json works pages)"
    equal process-pages-command "memoir pages ${started[0]}" "$(jq -r '.checks[] | select(.name == "pages") | .command' agent.json)"
    end_agent
else
    skip agent "needs memoir-agent, root and a kernel with BTF"
fi

"$MEMOIR" doctor 2147483647 >out 2>err
equal gone-status 1 $?
one_sentence gone err 'no process'

"$MEMOIR" doctor --jsn >out 2>err
equal wrong-option-status 2 $?
one_sentence wrong-option err 'json'
