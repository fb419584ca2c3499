#!/usr/bin/env bash
# What the program maps by itself has metrics of its own, and is not heap.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record maps.memoir -- "$subjects/subject-maps"
equal status 0 "$status"
equal mapped "$((10 << 20)) 1" "$(site maps.memoir maps.mapped map_here main)"
equal live-after-munmap $((6 << 20)) "$(site maps.memoir maps.live map_here main | cut -d ' ' -f 1)"
equal mremap-frees-the-old 0 "$(site maps.memoir maps.live first_map_here | cut -d ' ' -f 1)"
equal mremap-maps-the-new $((3 << 20)) "$(site maps.memoir maps.live grow_map_here | cut -d ' ' -f 1)"
equal sbrk-mapped $((64 << 10)) "$(site maps.memoir maps.mapped break_here | cut -d ' ' -f 1)"
equal sbrk-live $((48 << 10)) "$(site maps.memoir maps.live break_here | cut -d ' ' -f 1)"
equal no-heap 0 "$(summary maps.memoir calls)"
