import { describe, expect, expectTypeOf, it } from 'vitest';
import * as builtin from './index.ts';
import type { jobs, nodes, Pod, pods, StatefulSetInput, statefulSets } from './index.ts';
import type { ReadForm } from '../descriptor.ts';
import { apiVersionOf } from '../descriptor.ts';

describe('descriptors of built-in kinds', () => {
  it('name each kind of each group once', () => {
    const names = Object.values(builtin)
      .filter((value) => 'plural' in value)
      .map((descriptor) => `${apiVersionOf(descriptor)} ${descriptor.kind} ${descriptor.plural} ${descriptor.scope}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toMatchInlineSnapshot(`
      [
        "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations Cluster",
        "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations Cluster",
        "apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions Cluster",
        "apps/v1 StatefulSet statefulsets Namespaced",
        "apps/v1 Deployment deployments Namespaced",
        "apps/v1 ReplicaSet replicasets Namespaced",
        "apps/v1 DaemonSet daemonsets Namespaced",
        "apps/v1 ControllerRevision controllerrevisions Namespaced",
        "authentication.k8s.io/v1 TokenReview tokenreviews Cluster",
        "authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews Cluster",
        "authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews Cluster",
        "authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews Namespaced",
        "batch/v1 Job jobs Namespaced",
        "batch/v1 CronJob cronjobs Namespaced",
        "coordination.k8s.io/v1 Lease leases Namespaced",
        "v1 Pod pods Namespaced",
        "v1 Service services Namespaced",
        "v1 PersistentVolumeClaim persistentvolumeclaims Namespaced",
        "v1 PersistentVolume persistentvolumes Cluster",
        "v1 Secret secrets Namespaced",
        "v1 ConfigMap configmaps Namespaced",
        "v1 Namespace namespaces Cluster",
        "v1 Node nodes Cluster",
        "v1 ServiceAccount serviceaccounts Namespaced",
        "discovery.k8s.io/v1 EndpointSlice endpointslices Namespaced",
        "events.k8s.io/v1 Event events Namespaced",
        "networking.k8s.io/v1 NetworkPolicy networkpolicies Namespaced",
        "networking.k8s.io/v1 Ingress ingresses Namespaced",
        "policy/v1 PodDisruptionBudget poddisruptionbudgets Namespaced",
        "rbac.authorization.k8s.io/v1 Role roles Namespaced",
        "rbac.authorization.k8s.io/v1 RoleBinding rolebindings Namespaced",
        "rbac.authorization.k8s.io/v1 ClusterRole clusterroles Cluster",
        "rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings Cluster",
        "scheduling.k8s.io/v1 PriorityClass priorityclasses Cluster",
        "storage.k8s.io/v1 StorageClass storageclasses Cluster",
      ]
    `);
  });

  it('type what the server fills in as present', () => {
    expectTypeOf<Pod['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<Pod['kind']>().toEqualTypeOf<'Pod'>();
    expectTypeOf<Pod['spec']['containers'][number]['name']>().toEqualTypeOf<string>();
    expectTypeOf<ReadForm<typeof jobs>['apiVersion']>().toEqualTypeOf<'batch/v1'>();
    expectTypeOf<ReadForm<typeof statefulSets>['spec']['serviceName']>().toEqualTypeOf<string>();
    expectTypeOf<ReadForm<typeof nodes>['metadata']['resourceVersion']>().toEqualTypeOf<string>();
  });

  it('refuse objects of another kind, unknown fields and changes in place', () => {
    const written: StatefulSetInput = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web' },
      spec: { serviceName: 'web', selector: {}, template: {} },
    };
    // @ts-expect-error a StatefulSet is of another group
    const wrongVersion: StatefulSetInput = { ...written, apiVersion: 'v1' };
    // @ts-expect-error no such field
    const wrongField: StatefulSetInput = { ...written, sepc: {} };
    const change = (pod: ReadForm<typeof pods>): void => {
      // @ts-expect-error what was read is a value, not a place to write to
      pod.spec.nodeName = 'elsewhere';
    };
    expect([wrongVersion, wrongField, change]).toHaveLength(3);
  });
});
