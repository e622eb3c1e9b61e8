package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// The informer benchmark. An informer process caches all ClusteredCaches and all Pods of the server and
// writes JSON lines to stdout:
//
//	{"event":"synced","objects":N}              once both lists are in its cache
//	{"event":"applied","objects":N,"blockMs":B} once it has seen N objects whose label bench-marker is new
//
// blockMs (Node only) is the longest event-loop block since the line before.
// The label bench-marker is patched onto --patch objects after the first line.
const markerLabel = "bench-marker"

const podBase = "/api/v1/namespaces/" + namespace + "/pods"

type InformerResult struct {
	Informer     string  `json:"informer"`
	CRs          int     `json:"crs"`
	Pods         int     `json:"pods"`
	SyncSec      float64 `json:"syncSec"`
	SyncCPU      float64 `json:"syncCpuSec"`
	PeakRSS      float64 `json:"peakRssMiB"` // until and including the patches
	SyncPeakRSS  float64 `json:"syncPeakRssMiB"`
	SteadyRSS    float64 `json:"steadyRssMiB"` // 10 s after sync
	SyncBlockMs  float64 `json:"syncBlockMs,omitempty"`
	Patched      int     `json:"patched"`
	EventsPerSec float64 `json:"eventsPerSec"` // patched / (first patch to last event applied)
	WriterPerSec float64 `json:"writerPerSec"` // what the harness could patch
	LagMs        float64 `json:"lagMs"`        // last patch answered to last event applied
	CPUPer1000   float64 `json:"cpuMsPer1000Events"`
	PatchBlockMs float64 `json:"patchBlockMs,omitempty"`
	Requests     Counts  `json:"requests"`
	EndRSS       float64 `json:"endRssMiB"`
	Error        string  `json:"error,omitempty"`
}

func cmdInformers(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("informers", flag.ExitOnError)
	crs := fs.Int("crs", 10000, "ClusteredCaches of about 2 KB")
	pods := fs.Int("pods", 20000, "Pods of about 4 KB")
	patch := fs.Int("patch", 5000, "objects patched")
	rounds := fs.Int("rounds", 2, "rounds over all informers")
	only := fs.String("only", "", "comma-separated names from informers.json (default all)")
	list := fs.String("informers", "informers.json", "informer list")
	crd := fs.String("crd", "crd.yaml", "CRD")
	bin := fs.String("kube", os.Getenv("KUBE_BIN"), "directory with etcd and kube-apiserver")
	work := fs.String("work", os.Getenv("BENCH_RUN"), "scratch directory")
	out := fs.String("out", "", "append JSON lines to this file too")
	_ = fs.Parse(args)
	var order []struct {
		Name string            `json:"name"`
		Cmd  []string          `json:"cmd"`
		Env  map[string]string `json:"env"`
	}
	b, err := os.ReadFile(*list)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &order); err != nil {
		return err
	}
	cl, err := StartCluster(ctx, *bin, filepath.Join(*work, "informers"), *crd, [3]int{22379, 22380, 26443})
	if err != nil {
		return err
	}
	defer cl.Stop()
	a, err := NewAPI(cl.restConfig(harnessToken))
	if err != nil {
		return err
	}
	logf("filling the server")
	if err := fill(ctx, a, *crs, *pods); err != nil {
		return err
	}
	audit := &Audit{path: cl.AuditPath}
	marker := 0
	for range *rounds {
		for _, inf := range order {
			if *only != "" && !strings.Contains(","+*only+",", ","+inf.Name+",") {
				continue
			}
			marker++
			res := &InformerResult{Informer: inf.Name, CRs: *crs, Pods: *pods, Patched: *patch}
			for i, c := range inf.Cmd {
				inf.Cmd[i] = os.ExpandEnv(c)
			}
			env := []string{"KUBECONFIG=" + cl.Kubeconfig(), fmt.Sprintf("BENCH_MARKER=m%d", marker), fmt.Sprintf("BENCH_PATCHED=%d", *patch)}
			for k, v := range inf.Env {
				env = append(env, k+"="+v)
			}
			if err := measureInformer(ctx, a, cl, audit, res, inf.Cmd, env, marker); err != nil {
				res.Error = err.Error()
			}
			line, _ := json.Marshal(res)
			fmt.Println(string(line))
			if *out != "" {
				f, err := os.OpenFile(*out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
				if err != nil {
					return err
				}
				_, _ = f.Write(append(line, '\n'))
				f.Close()
			}
		}
	}
	return nil
}

// fill creates the objects: padding is in annotations, as a real cluster's last-applied configurations are.
func fill(ctx context.Context, a *API, crs, pods int) error {
	pad := func(n int) string { return strings.Repeat("padding-0123456 ", n/16) }
	if err := forAll(crs, 20, func(i int) error {
		_, err := a.Create(ctx, crPath(""), fmt.Appendf(nil,
			`{"apiVersion":"cache.my.domain/v1","kind":"ClusteredCache","metadata":{"name":%q,"annotations":{"pad":%q}},"spec":{"replicas":3,"image":"cache:1.0"}}`, crName(i), pad(1700)))
		return err
	}); err != nil {
		return err
	}
	return forAll(pods, 20, func(i int) error {
		_, err := a.Create(ctx, podBase, fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%05d","labels":{"app":"cache-%05d"},"annotations":{"pad":%q}},"spec":{"containers":[{"name":"cache","image":"cache:1.0","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"name":"cache","containerPort":6379}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}`, i, i%1000, pad(2200)))
		return err
	})
}

type informerLine struct {
	Event   string  `json:"event"`
	Objects int     `json:"objects"`
	BlockMs float64 `json:"blockMs"`
	at      time.Time
}

func measureInformer(ctx context.Context, a *API, cl *Cluster, audit *Audit, res *InformerResult, argv, env []string, marker int) error {
	if _, err := audit.Next(); err != nil {
		return err
	}
	rd, wr, err := os.Pipe()
	if err != nil {
		return err
	}
	p, err := StartProc(argv, env, filepath.Join(cl.Dir, "informer.log"), wr)
	wr.Close()
	if err != nil {
		return err
	}
	defer p.Kill()
	lines := make(chan informerLine, 16)
	go func() {
		defer close(lines)
		for sc := bufio.NewScanner(rd); sc.Scan(); {
			l := informerLine{at: time.Now()}
			if json.Unmarshal(sc.Bytes(), &l) == nil {
				lines <- l
			}
		}
	}()
	next := func(event string) (informerLine, error) {
		select {
		case l, ok := <-lines:
			if !ok || l.Event != event {
				return l, fmt.Errorf("wanted %s, got %+v", event, l)
			}
			return l, nil
		case <-time.After(3 * time.Minute):
			return informerLine{}, fmt.Errorf("no %s", event)
		}
	}
	l, err := next("synced")
	if err != nil {
		return err
	}
	if l.Objects != res.CRs+res.Pods {
		return fmt.Errorf("synced with %d objects, want %d", l.Objects, res.CRs+res.Pods)
	}
	res.SyncSec, res.SyncCPU, res.SyncBlockMs = l.at.Sub(p.Started).Seconds(), p.CPU(), l.BlockMs
	time.Sleep(time.Second)
	res.SyncPeakRSS = p.Peak()
	time.Sleep(9 * time.Second)
	res.SteadyRSS = p.RSS()
	cpu0, t0 := p.CPU(), time.Now()
	// One third ClusteredCaches, two thirds Pods, as in the cache.
	if err := forAll(res.Patched, 20, func(i int) error {
		path := fmt.Sprintf("%s/pod-%05d", podBase, i)
		if i%3 == 0 {
			path = crPath(crName(i))
		}
		_, err := a.MergePatch(ctx, path, fmt.Appendf(nil, `{"metadata":{"labels":{"%s":"m%d"}}}`, markerLabel, marker))
		return err
	}); err != nil {
		return err
	}
	t1 := time.Now()
	if l, err = next("applied"); err != nil {
		return err
	}
	res.EventsPerSec = float64(res.Patched) / l.at.Sub(t0).Seconds()
	res.WriterPerSec = float64(res.Patched) / t1.Sub(t0).Seconds()
	res.LagMs = ms(l.at.Sub(t1))
	res.CPUPer1000 = (p.CPU() - cpu0) * 1000 / float64(res.Patched) * 1000
	res.PatchBlockMs = l.BlockMs
	time.Sleep(500 * time.Millisecond)
	res.PeakRSS, res.EndRSS = p.Peak(), p.RSS()
	reqs, err := audit.Next()
	res.Requests, _, _, _ = count(reqs)
	return err
}

// cmdInformerClientGo is the client-go contender: shared informers, JSON, full objects or metadata only.
func cmdInformerClientGo(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("informer-client-go", flag.ExitOnError)
	mode := fs.String("mode", "full", "full or meta")
	_ = fs.Parse(args)
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	cfg.QPS, cfg.ContentType = -1, "application/json"
	var infs []cache.SharedIndexInformer
	switch *mode {
	case "full":
		crCfg := rawConfig(cfg.Host, cfg.BearerToken)
		rc, err := rest.RESTClientFor(crCfg)
		if err != nil {
			return err
		}
		cs, err := kubernetes.NewForConfig(cfg)
		if err != nil {
			return err
		}
		lw := cache.NewListWatchFromClient(rc, "clusteredcaches", metav1.NamespaceAll, fields.Everything())
		infs = append(infs, cache.NewSharedIndexInformer(lw, &ClusteredCache{}, 0, cache.Indexers{}),
			informers.NewSharedInformerFactory(cs, 0).InformerFor(&corev1.Pod{}, func(c kubernetes.Interface, _ time.Duration) cache.SharedIndexInformer {
				return informers.NewSharedInformerFactory(c, 0).Core().V1().Pods().Informer()
			}))
	case "meta":
		mc, err := metadata.NewForConfig(cfg)
		if err != nil {
			return err
		}
		f := metadatainformer.NewSharedInformerFactory(mc, 0)
		infs = append(infs, f.ForResource(cacheGV.WithResource("clusteredcaches")).Informer(),
			f.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer())
		for _, i := range infs { // the point of metadata only: names, labels and versions
			_ = i.SetTransform(func(o any) (any, error) {
				if m, err := meta.Accessor(o); err == nil {
					m.SetManagedFields(nil)
					m.SetAnnotations(nil)
				}
				return o, nil
			})
		}
	default:
		return fmt.Errorf("unknown mode %q", *mode)
	}
	marker := os.Getenv("BENCH_MARKER")
	var want, seen atomic.Int64
	var n int64
	_, _ = fmt.Sscan(os.Getenv("BENCH_PATCHED"), &n)
	want.Store(n)
	var wg sync.WaitGroup
	for _, i := range infs {
		_, _ = i.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, o any) {
			if m, err := meta.Accessor(o); err == nil && m.GetLabels()[markerLabel] == marker {
				if s := seen.Add(1); s == want.Load() {
					fmt.Printf(`{"event":"applied","objects":%d}`+"\n", s)
				}
			}
		}})
		wg.Go(func() { i.Run(ctx.Done()) })
	}
	for _, i := range infs {
		if !cache.WaitForCacheSync(ctx.Done(), i.HasSynced) {
			return fmt.Errorf("not synced")
		}
	}
	fmt.Printf(`{"event":"synced","objects":%d}`+"\n", len(infs[0].GetStore().ListKeys())+len(infs[1].GetStore().ListKeys()))
	wg.Wait()
	return nil
}
