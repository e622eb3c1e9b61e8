package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

func (r *runner) create(ctx context.Context) error {
	cpu0 := r.proc.CPU()
	etcd0, api0 := r.cl.CPU()
	created := make([]time.Time, r.n)
	t0 := time.Now()
	err := forAll(r.n, 20, func(i int) error {
		body := fmt.Sprintf(`{"apiVersion":"cache.my.domain/v1","kind":"ClusteredCache","metadata":{"name":%q},"spec":{"replicas":3,"image":"cache:1.0"}}`, crName(i))
		_, err := r.api.Create(ctx, crPath(""), []byte(body))
		created[i] = time.Now()
		return err
	})
	if err != nil {
		return err
	}
	r.res.CreateWriteSec = time.Since(t0).Seconds()
	limit := 3*time.Minute + time.Duration(r.n)*50*time.Millisecond
	if err := r.tracker.Wait(ctx, limit, func() bool { return len(r.tracker.done) >= r.n || !r.proc.Alive() }); err != nil {
		return err
	}
	if !r.proc.Alive() {
		return fmt.Errorf("contender exited")
	}
	r.tracker.mu.Lock()
	var end time.Time
	var lat []float64
	for i := range r.n {
		at := r.tracker.done[crName(i)]
		if at.After(end) {
			end = at
		}
		lat = append(lat, max(0, ms(at.Sub(created[i]))))
	}
	r.tracker.mu.Unlock()
	r.res.CreateSec = end.Sub(t0).Seconds()
	r.res.CRPerSec = float64(r.n) / r.res.CreateSec
	r.res.CRLatencyMs = quantiles(lat)
	reqs, _, err := r.idle(3*time.Second, time.Minute)
	if err != nil {
		return err
	}
	all, total, writes, failed := count(reqs)
	r.res.ReqPerCR, r.res.WritesPerCR = per(total, r.n), per(writes, r.n)
	r.res.ReqByKind, r.res.Failed = map[string]float64{}, failed
	for k, v := range all {
		r.res.ReqByKind[k] = per(v, r.n)
	}
	r.res.ContenderCPU = r.proc.CPU() - cpu0
	etcd1, api1 := r.cl.CPU()
	r.res.EtcdCPU, r.res.APIServerCPU = etcd1-etcd0, api1-api0
	idle0 := r.proc.CPU()
	time.Sleep(3 * time.Second)
	r.res.IdleCPUPct = (r.proc.CPU() - idle0) / 3 * 100
	r.res.PeakRSS, r.res.SteadyRSS = r.proc.Peak(), r.proc.RSS()
	return nil
}

// change patches spec.replicas and returns the new generation.
func (r *runner) change(ctx context.Context, name string, replicas int) (int64, error) {
	b, err := r.api.MergePatch(ctx, crPath(name), []byte(fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)))
	if err != nil {
		return 0, err
	}
	var c crView
	err = json.Unmarshal(b, &c)
	return c.Metadata.Generation, err
}

func (r *runner) update(ctx context.Context, updates int) error {
	if _, err := r.audit.Next(); err != nil {
		return err
	}
	var lat []float64
	for i := range updates {
		name := crName(i % r.n)
		b, err := r.api.Get(ctx, crPath(name))
		if err != nil {
			return err
		}
		var c crView
		if err := json.Unmarshal(b, &c); err != nil {
			return err
		}
		done := r.tracker.Expect(name, c.Metadata.Generation+1)
		if _, err := r.change(ctx, name, int(c.Spec.Replicas)%5+1); err != nil {
			return err
		}
		t0 := time.Now()
		select {
		case at := <-done:
			lat = append(lat, ms(at.Sub(t0)))
		case <-time.After(30 * time.Second):
			return fmt.Errorf("%s did not converge", name)
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.res.UpdateMs = quantiles(lat)
	reqs, _, err := r.idle(2*time.Second, 20*time.Second)
	_, total, _, _ := count(reqs)
	r.res.UpdateReqPer = per(total, updates)
	return err
}

func (r *runner) restart(ctx context.Context) error {
	r.firstCPU = r.proc.CPU()
	r.proc.Kill()
	if _, err := r.audit.Next(); err != nil {
		return err
	}
	time.Sleep(time.Second)
	name := crName(r.n / 2)
	gen, err := r.change(ctx, name, 2)
	if err != nil {
		return err
	}
	done := r.tracker.Expect(name, gen)
	if err := r.start(); err != nil {
		return err
	}
	select {
	case at := <-done:
		r.res.RestartFreshSec = at.Sub(r.proc.Started).Seconds()
	case <-time.After(5 * time.Minute):
		return fmt.Errorf("%s did not converge", name)
	}
	reqs, last, err := r.idle(3*time.Second, 2*time.Minute)
	if err != nil {
		return err
	}
	r.res.RestartIdleSec = last.Sub(r.proc.Started).Seconds()
	r.res.RestartKinds, r.res.RestartReqs, r.res.RestartWrites, _ = count(reqs)
	for _, q := range reqs {
		if q.Write() && q.Name != name {
			r.res.RestartVainWrites++
		}
	}
	r.res.RestartCPU = r.proc.CPU()
	time.Sleep(2 * time.Second)
	r.res.RestartPeakRSS, r.res.RestartSteadyRSS = r.proc.Peak(), r.proc.RSS()
	return nil
}

func (r *runner) remove(ctx context.Context) error {
	if _, err := r.audit.Next(); err != nil {
		return err
	}
	t0 := time.Now()
	if err := forAll(r.n, 20, func(i int) error { return r.api.Delete(ctx, crPath(crName(i))) }); err != nil {
		return err
	}
	if err := r.tracker.Wait(ctx, 5*time.Minute, func() bool { return len(r.tracker.present) == 0 }); err != nil {
		return err
	}
	r.res.DeleteSec = time.Since(t0).Seconds()
	reqs, _, err := r.idle(2*time.Second, 20*time.Second)
	if err != nil {
		return err
	}
	_, total, _, failed := count(reqs)
	r.res.DeletePerCR, r.res.DeleteFailed = per(total, r.n), failed
	for _, p := range []string{stsBase, svcBase, pdbBase} {
		b, err := r.api.Get(ctx, p)
		if err != nil {
			return err
		}
		var l struct {
			Items []struct {
				Metadata struct{ OwnerReferences []any }
			}
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return err
		}
		for _, it := range l.Items {
			if len(it.Metadata.OwnerReferences) > 0 {
				r.res.ChildrenLeft++
			}
		}
	}
	return nil
}

func per(v, n int) float64 { return float64(v) / float64(n) }

func quantiles(v []float64) map[string]float64 {
	slices.Sort(v)
	q := func(p float64) float64 { return v[min(len(v)-1, int(p*float64(len(v))))] }
	return map[string]float64{"p50": q(.5), "p90": q(.9), "p99": q(.99), "max": v[len(v)-1]}
}
