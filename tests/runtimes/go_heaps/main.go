// SPDX-License-Identifier: Apache-2.0

// go_heaps PREFIX BLOCKS STAMP...: holds BLOCKS more blocks of 4 KiB and half as many of 1000 bytes at each step, and writes what a
// watched node would answer then: PREFIX.STAMP.heap and, unless METRICS=no, PREFIX.STAMP.metrics.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

type block struct {
	next *block
	data [4096 - 8]byte
}

var chain *block
var table [][]byte

//go:noinline
func leakBlocks(count int) {
	for i := 0; i < count; i++ {
		chain = &block{next: chain}
	}
}

//go:noinline
func fillTable(count int) {
	for i := 0; i < count; i++ {
		table = append(table, make([]byte, 1000))
	}
}

func create(name string) *os.File {
	file, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	return file
}

func main() {
	runtime.MemProfileRate = 1
	count, _ := strconv.Atoi(os.Args[2])
	for _, stamp := range os.Args[3:] {
		leakBlocks(count)
		fillTable(count / 2)
		runtime.GC()
		runtime.GC()
		heap := create(os.Args[1] + "." + stamp + ".heap")
		pprof.Lookup("heap").WriteTo(heap, 0)
		heap.Close()
		if os.Getenv("METRICS") == "no" {
			continue
		}
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		metrics := create(os.Args[1] + "." + stamp + ".metrics")
		const prefix = "algod_go_memory_classes_"
		fmt.Fprintf(metrics, prefix+"heap_objects_bytes %d\n"+prefix+"total_bytes %d\n"+prefix+"heap_free_bytes %d\n"+prefix+"heap_released_bytes %d\n",
			now.HeapAlloc, now.Sys, now.HeapIdle-now.HeapReleased, now.HeapReleased)
		metrics.Close()
	}
}
