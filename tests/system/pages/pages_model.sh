#!/usr/bin/env bash
# Random steps of a process: the owner of every page, and sums that equal the kernel's, with swap and without rights.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
model=$BUILD/tests/unit/unit-pages_model

# Prints the case's line for what the model said.
judge() { # CASE, output on stdin
    local said
    said=$(tail -3)
    case $said in
        *"not ok"*) echo "not ok $1: $said" ;;
        ok:*) echo "ok $1" ;;
        skip:*) echo "skip $1: ${said#skip: }" ;;
        *) echo "not ok $1: it ended early: $said" ;;
    esac
}

timeout 100 "$model" --steps 60 1 12 2>&1 | judge every-page-has-its-owner
# One that nobody has tried yet: it is told when it fails.
timeout 60 "$model" --steps 60 "$(date +%s)" 2>&1 | judge a-new-seed

swap_file=$PWD/swap
if [ "$(id -u)" = 0 ] && fallocate -l 64M "$swap_file" && chmod 600 "$swap_file" &&
    mkswap -q "$swap_file" && swapon "$swap_file" 2>swap.err; then
    trap 'swapoff "$swap_file"; tidy_up' EXIT
    timeout 100 "$model" --swap --steps 60 1 12 2>&1 | judge swapped-pages-keep-theirs
    swapoff "$swap_file"
    trap tidy_up EXIT
else
    echo "skip swapped-pages-keep-theirs: no swap can be switched on here: $(cat swap.err 2>/dev/null)"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open_house
    install "$model" "$house/model"
    as_nobody timeout 60 "$house/model" --steps 60 1 6 2>&1 | judge without-rights
else
    echo "skip without-rights: the other cases ran without rights already"
fi

# The same events from BPF.
skip_without_agent by-agent
if begin_agent; then
    MODEL_AGENT=$socket timeout 100 "$model" --steps 60 1 12 2>&1 | judge by-agent
    end_agent
else
    not_ok by-agent "the agent does not begin: $(cat agent.err)"
fi
true
