# SPDX-License-Identifier: Apache-2.0
# Words in tables; with -d:nimAllocStats Nim counts its blocks.
import tables

proc build(words: int): Table[string, seq[int]] =
  result = initTable[string, seq[int]]()
  for i in 0 ..< words:
    result.mgetOrPut("word " & $(i mod 1000), @[]).add(i)

var kept: seq[Table[string, seq[int]]]
for round in 0 ..< 10:
  let made = build(20000 + round)
  if round mod 2 == 0:
    kept.add made
echo kept.len, " tables of ", kept[0].len
when defined(nimAllocStats):
  stderr.writeLine $getAllocStats()
stderr.writeLine "occupied ", getOccupiedMem()
quit 6
