// SPDX-License-Identifier: Apache-2.0

// Writes every profile that Go has, in both forms, into the folder it is given; and a second heap, of 500 blocks of 20,000 bytes more.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var (
	held   [][]byte
	sink   []byte
	number float64
	lock   sync.Mutex
)

//go:noinline
func keep(count, size int) {
	for i := 0; i < count; i++ {
		held = append(held, make([]byte, size))
	}
}

//go:noinline
func waste(count int) {
	for i := 0; i < count; i++ {
		sink = make([]byte, 4096)
	}
}

//go:noinline
func burn(length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end); {
		for i := 0; i < 10000; i++ {
			number += float64(i) * 1.5
		}
	}
}

func fight() {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 50; k++ {
				lock.Lock()
				time.Sleep(200 * time.Microsecond)
				lock.Unlock()
			}
		}()
	}
	all.Wait()
}

func create(name string) *os.File {
	file, err := os.Create(os.Args[1] + "/" + name)
	if err != nil {
		panic(err)
	}
	return file
}

func write(profile, name string, debug int) {
	file := create(name)
	defer file.Close()
	if err := pprof.Lookup(profile).WriteTo(file, debug); err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	file := create("cpu")
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	pprof.Do(context.Background(), pprof.Labels("request", "r1"), func(context.Context) { burn(400 * time.Millisecond) })
	pprof.StopCPUProfile()
	file.Close()
	for i := 0; i < 7; i++ {
		go func() { select {} }()
	}
	fight()
	keep(1000, 10000)
	waste(5000)
	runtime.GC()
	runtime.GC()
	write("heap", "heap", 0) // nothing is collected in between: both forms tell the same
	write("heap", "heap.txt", 1)
	for _, name := range []string{"allocs", "goroutine", "threadcreate", "mutex", "block"} {
		write(name, name, 0)
		write(name, name+".txt", 1)
	}
	keep(500, 20000)
	runtime.GC()
	runtime.GC()
	write("heap", "heap2", 0)
}
