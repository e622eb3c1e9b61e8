// A small operator with controller-runtime, as its authors write them: it lives in the simulated cluster to show that one of another language does.
//
// A Cache has replicas and an image; the operator makes a StatefulSet, a Service and a PodDisruptionBudget of its name, keeps a finalizer while it is
// there, and tells by the condition Available whether all replicas are ready. PROTOBUF=1 has it speak protobuf about built-in kinds.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "caches.example.com/cleanup"

var cacheKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cache"}

func newCache() *unstructured.Unstructured {
	cache := &unstructured.Unstructured{}
	cache.SetGroupVersionKind(cacheKind)
	return cache
}

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	cache := newCache()
	if err := r.Get(ctx, request.NamespacedName, cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cache.GetDeletionTimestamp().IsZero() {
		if !controllerutil.RemoveFinalizer(cache, finalizer) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, r.Update(ctx, cache)
	}
	if controllerutil.AddFinalizer(cache, finalizer) {
		return ctrl.Result{}, r.Update(ctx, cache)
	}
	set, err := r.children(ctx, cache)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.tell(ctx, cache, set)
}

// children makes what belongs to a cache, or brings it up to date, and gives its StatefulSet.
func (r *reconciler) children(ctx context.Context, cache *unstructured.Unstructured) (*appsv1.StatefulSet, error) {
	replicas, _, _ := unstructured.NestedInt64(cache.Object, "spec", "replicas")
	image, _, _ := unstructured.NestedString(cache.Object, "spec", "image")
	meta := metav1.ObjectMeta{Name: cache.GetName(), Namespace: cache.GetNamespace()}
	labels := map[string]string{"app": cache.GetName()}
	selector := &metav1.LabelSelector{MatchLabels: labels}

	service := &corev1.Service{ObjectMeta: meta}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		service.Spec.Selector = labels
		service.Spec.Ports = []corev1.ServicePort{{Name: "cache", Port: 6379, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(6379)}}
		return controllerutil.SetControllerReference(cache, service, r.scheme)
	}); err != nil {
		return nil, err
	}

	budget := &policyv1.PodDisruptionBudget{ObjectMeta: meta}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, budget, func() error {
		one := intstr.FromInt32(1)
		budget.Spec.MaxUnavailable = &one
		budget.Spec.Selector = selector
		return controllerutil.SetControllerReference(cache, budget, r.scheme)
	}); err != nil {
		return nil, err
	}

	set := &appsv1.StatefulSet{ObjectMeta: meta}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, set, func() error {
		wanted := int32(replicas)
		set.Spec.Replicas = &wanted
		set.Spec.ServiceName = cache.GetName()
		set.Spec.Selector = selector
		set.Spec.Template.Labels = labels
		if len(set.Spec.Template.Spec.Containers) == 0 {
			set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "cache"}}
		}
		set.Spec.Template.Spec.Containers[0].Image = image
		return controllerutil.SetControllerReference(cache, set, r.scheme)
	})
	return set, err
}

// tell writes the condition Available, where it has changed.
func (r *reconciler) tell(ctx context.Context, cache *unstructured.Unstructured, set *appsv1.StatefulSet) error {
	status, reason := "False", "ReplicasNotReady"
	if set.Status.ReadyReplicas == *set.Spec.Replicas {
		status, reason = "True", "AllReplicasReady"
	}
	known, _, _ := unstructured.NestedSlice(cache.Object, "status", "conditions")
	if len(known) == 1 {
		if condition, ok := known[0].(map[string]any); ok && condition["reason"] == reason {
			return nil
		}
	}
	conditions := []any{map[string]any{"type": "Available", "status": status, "reason": reason}}
	if err := unstructured.SetNestedSlice(cache.Object, conditions, "status", "conditions"); err != nil {
		return err
	}
	return r.Status().Update(ctx, cache)
}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "the operator ends")
		os.Exit(1)
	}
}

func run() error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	if os.Getenv("PROTOBUF") != "" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	scheme := clientgoscheme.Scheme
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).For(newCache()).Owns(&appsv1.StatefulSet{}).
		Complete(&reconciler{Client: manager.GetClient(), scheme: scheme})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
