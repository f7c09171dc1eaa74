// SPDX-License-Identifier: BSD-2-Clause

// gofuncs N
//
// Calls functions of its own in N goroutines, whose stacks grow, are copied and shrink meanwhile, and prints "did main.FUNCTION
// COUNT" lines: work, a recursion of depth 10; dive, which calls deep, a recursion of depth 200 that needs a large stack; nap, which
// sleeps and goes on in any thread; twice, which returns at two places; thrown, which panics, and catch, which recovers from
// that. Then "did nap CALLS LEAST MOST": between which two sums of nanoseconds the calls of nap took, and "did dive ..." likewise.
package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	workDepth = 10
	deepDepth = 200
)

type sums struct{ calls, least, most int64 }

func (s *sums) add(least, most time.Duration) {
	atomic.AddInt64(&s.calls, 1)
	atomic.AddInt64(&s.least, int64(least))
	atomic.AddInt64(&s.most, int64(most))
}

var naps, dives sums

//go:noinline
func work(n int) int {
	if n == 1 {
		return 0
	}
	return work(n-1) + n
}

// The stack moves between the begin of a call and its end, with all the frames that are on it.
//
//go:noinline
func deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n%50 == 0 {
		runtime.Gosched()
	}
	if n > 1 {
		pad[(n+1)%64] = deep(n - 1)
	}
	return pad[n%64] + pad[(n+1)%64]
}

// The only one that calls deep, and tells how long it took at least.
//
//go:noinline
func dive(least *time.Duration) {
	begin := time.Now()
	deep(deepDepth)
	*least = time.Since(begin)
}

//go:noinline
func nap(least *time.Duration) {
	begin := time.Now()
	time.Sleep(2 * time.Millisecond)
	*least = time.Since(begin)
}

//go:noinline
func twice(n int) int {
	if n%2 == 0 {
		runtime.Gosched()
		return n + 1
	}
	return n * 3
}

//go:noinline
func thrown(n int) int {
	if n >= 0 {
		panic(n)
	}
	return n
}

//go:noinline
func catch(n int) (got int) {
	defer func() { got = recover().(int) }()
	return thrown(n)
}

func one(n int) {
	var least time.Duration

	if work(workDepth) != 54 || catch(n) != n {
		panic("a function has returned something else")
	}
	begin := time.Now()
	dive(&least)
	dives.add(least, time.Since(begin))
	for i := 0; i < 3; i++ {
		begin = time.Now()
		nap(&least)
		naps.add(least, time.Since(begin))
	}
	twice(n)
}

func did(name string, numbers ...int64) {
	line := "did " + name
	for _, n := range numbers {
		line += " " + strconv.FormatInt(n, 10)
	}
	os.Stdout.WriteString(line + "\n")
}

func main() {
	var all sync.WaitGroup

	n, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < n; i++ {
		all.Add(1)
		go func(i int) {
			one(i)
			all.Done()
		}(i)
		// stacks shrink at that
		if i%64 == 0 {
			runtime.GC()
		}
	}
	all.Wait()
	calls := int64(n)
	did("main.work", workDepth*calls)
	did("main.deep", deepDepth*calls)
	did("main.nap", 3*calls)
	did("main.twice", calls)
	did("main.thrown", calls)
	did("main.catch", calls)
	did("main.dive", calls)
	did("nap", naps.calls, naps.least, naps.most)
	did("dive", dives.calls, dives.least, dives.most)
}
