package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Result is one line of the result file.
type Result struct {
	Contender string `json:"contender"`
	N         int    `json:"n"`
	At        string `json:"at"`
	Load1     string `json:"loadBefore"`

	// Phase 1: create.
	CreateSec      float64            `json:"createSec"`
	CRPerSec       float64            `json:"crPerSec"`
	CreateWriteSec float64            `json:"createWriteSec"` // until the harness's last create was answered
	CRLatencyMs    map[string]float64 `json:"crLatencyMs"`    // create response to converged, per CR
	ContenderCPU   float64            `json:"createContenderCpuSec"`
	APIServerCPU   float64            `json:"createApiserverCpuSec"`
	EtcdCPU        float64            `json:"createEtcdCpuSec"`
	ReqPerCR       float64            `json:"reqPerCR"`
	WritesPerCR    float64            `json:"writesPerCR"`
	ReqByKind      map[string]float64 `json:"reqPerCRByKind"`
	Failed         Counts             `json:"failedRequests"`
	PeakRSS        float64            `json:"peakRssMiB"`
	SteadyRSS      float64            `json:"steadyRssMiB"`
	IdleCPUPct     float64            `json:"idleCpuPct"` // over 3 s with nothing to do

	// Phase 2: update at low load.
	UpdateMs map[string]float64 `json:"updateMs,omitempty"`
	// Harness writes per update are one CR patch and one StatefulSet status patch.
	UpdateReqPer float64 `json:"updateReqPer,omitempty"`

	// Phase 3: restart.
	RestartFreshSec   float64 `json:"restartFreshSec,omitempty"` // exec to convergence of the changed CR
	RestartIdleSec    float64 `json:"restartIdleSec,omitempty"`  // exec to the last request
	RestartReqs       int     `json:"restartReqs"`
	RestartWrites     int     `json:"restartWrites"`     // all writes, those for the changed CR included
	RestartVainWrites int     `json:"restartVainWrites"` // writes to objects that needed none
	RestartKinds      Counts  `json:"restartKinds,omitempty"`
	RestartPeakRSS    float64 `json:"restartPeakRssMiB,omitempty"`
	RestartSteadyRSS  float64 `json:"restartSteadyRssMiB,omitempty"`
	RestartCPU        float64 `json:"restartContenderCpuSec,omitempty"`

	// Phase 6: delete.
	DeleteSec    float64 `json:"deleteSec,omitempty"`
	DeletePerCR  float64 `json:"deleteReqPerCR,omitempty"`
	DeleteFailed Counts  `json:"deleteFailedRequests,omitempty"`
	ChildrenLeft int     `json:"childrenLeft"`
	TotalCPU     float64 `json:"totalContenderCpuSec"` // both lives
	Error        string  `json:"error,omitempty"`
}

// Contender is an entry of contenders.json.
type Contender struct {
	Cmd []string          `json:"cmd"`
	Env map[string]string `json:"env"`
}

func loadContender(path, name string) (Contender, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Contender{}, err
	}
	all := map[string]Contender{}
	if err := json.Unmarshal(b, &all); err != nil {
		return Contender{}, err
	}
	c, ok := all[name]
	if !ok {
		return c, fmt.Errorf("no contender %q in %s", name, path)
	}
	for i, a := range c.Cmd {
		c.Cmd[i] = os.ExpandEnv(a)
	}
	return c, nil
}

func cmdRun(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("run", flag.ExitOnError)
	name := fs.String("contender", "", "name in contenders.json")
	n := fs.Int("n", 1000, "number of ClusteredCaches")
	phases := fs.String("phases", "1,2,3,6", "phases to run (1 is always run)")
	updates := fs.Int("updates", 200, "single updates in phase 2")
	list := fs.String("contenders", "contenders.json", "contender list")
	crd := fs.String("crd", "crd.yaml", "CRD")
	bin := fs.String("kube", os.Getenv("KUBE_BIN"), "directory with etcd and kube-apiserver")
	work := fs.String("work", os.Getenv("BENCH_RUN"), "scratch directory")
	out := fs.String("out", "", "append the JSON line to this file too")
	_ = fs.Parse(args)
	c, err := loadContender(*list, *name)
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	res := &Result{Contender: *name, N: *n, At: time.Now().UTC().Format(time.RFC3339), Load1: strings.Fields(string(load))[0]}
	dir := filepath.Join(*work, "run")
	cl, err := StartCluster(ctx, *bin, dir, *crd, [3]int{22379, 22380, 26443})
	if err != nil {
		return err
	}
	defer cl.Stop()
	r := &runner{cl: cl, contender: c, n: *n, res: res, audit: &Audit{path: cl.AuditPath}, tracker: NewTracker()}
	if err := r.all(ctx, *phases, *updates); err != nil {
		res.Error = err.Error()
	}
	if r.proc != nil && r.proc.Alive() {
		r.proc.Kill()
	}
	line, _ := json.Marshal(res)
	fmt.Println(string(line))
	if *out != "" {
		f, err := os.OpenFile(*out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		_, _ = f.Write(append(line, '\n'))
	}
	if res.Error != "" {
		return fmt.Errorf("%s: %s (contender log in %s)", *name, res.Error, dir)
	}
	return nil
}

type runner struct {
	cl        *Cluster
	contender Contender
	n         int
	res       *Result
	audit     *Audit
	tracker   *Tracker
	api       *API
	proc      *Proc
	firstCPU  float64
}

func (r *runner) start() error {
	env := []string{"KUBECONFIG=" + r.cl.Kubeconfig(), fmt.Sprintf("BENCH_N=%d", r.n)}
	for k, v := range r.contender.Env {
		env = append(env, k+"="+os.ExpandEnv(v))
	}
	p, err := StartProc(r.contender.Cmd, env, filepath.Join(r.cl.Dir, "contender.log"), nil)
	r.proc = p
	return err
}

// idle waits until the contender has sent no request for quiet, and returns all requests since the last call
// and the time of the last one (to 100 ms).
func (r *runner) idle(quiet, limit time.Duration) (reqs []Request, last time.Time, err error) {
	begin := time.Now()
	last = begin
	for {
		next, err := r.audit.Next()
		if err != nil {
			return nil, last, err
		}
		now := time.Now()
		if len(next) > 0 {
			reqs, last = append(reqs, next...), now
		}
		if !r.proc.Alive() {
			return reqs, last, fmt.Errorf("contender exited")
		}
		if now.Sub(last) > quiet {
			return reqs, last, nil
		}
		if now.Sub(begin) > limit {
			logf("not idle after %s", limit)
			return reqs, last, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func crName(i int) string { return fmt.Sprintf("cache-%05d", i) }

func forAll(n, workers int, fn func(i int) error) error {
	var next, failed atomic.Int64
	var first atomic.Value
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := fn(i); err != nil {
					failed.Add(1)
					first.CompareAndSwap(nil, err)
				}
			}
		})
	}
	wg.Wait()
	if err, ok := first.Load().(error); ok {
		return fmt.Errorf("%d of %d failed: %w", failed.Load(), n, err)
	}
	return nil
}

func (r *runner) all(ctx context.Context, phases string, updates int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if r.api, err = NewAPI(r.cl.restConfig(harnessToken)); err != nil {
		return err
	}
	background := func(what string, f func() error) {
		go func() {
			if err := f(); err != nil && ctx.Err() == nil {
				logf("FATAL %s: %v", what, err)
				os.Exit(1)
			}
		}()
	}
	synced := make(chan struct{})
	background("tracker", func() error { return r.tracker.Run(ctx, r.api, func() { close(synced) }) })
	background("statefulsets", func() error { return RunStatefulSets(ctx, r.api) })
	<-synced
	if err := r.start(); err != nil {
		return err
	}
	// The contender gets time to connect: until it has been quiet for 1.5 s, at least 3 s.
	time.Sleep(1500 * time.Millisecond)
	if _, _, err := r.idle(1500*time.Millisecond, 30*time.Second); err != nil {
		return err
	}
	logf("%s: create %d", r.res.Contender, r.n)
	if err := r.create(ctx); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	has := func(p string) bool { return slices.Contains(strings.Split(phases, ","), p) }
	if has("2") {
		logf("phase 2")
		if err := r.update(ctx, updates); err != nil {
			return fmt.Errorf("update: %w", err)
		}
	}
	if has("3") {
		logf("phase 3")
		if err := r.restart(ctx); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
	}
	if has("6") {
		logf("phase 6")
		if err := r.remove(ctx); err != nil {
			return fmt.Errorf("delete: %w", err)
		}
	}
	r.res.TotalCPU = r.firstCPU + r.proc.CPU()
	return nil
}
