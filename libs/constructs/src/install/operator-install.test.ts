import { App } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { alerts, OperatorInstall, operatorPermissions, podRules, type OperatorInstallOptions } from './index.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // What a manifest holds is looked at by the tests that know its kind.
  readonly spec: {
    readonly template: { readonly spec: Record<string, unknown> & { containers: Record<string, unknown>[] } };
  };
  readonly rules: unknown;
  readonly webhooks: readonly {
    readonly namespaceSelector?: unknown;
    readonly clientConfig: unknown;
    readonly matchConditions?: readonly { readonly expression: string }[];
  }[];
}

function synthesized(options: OperatorInstallOptions = {}): readonly Manifest[] {
  return new OperatorInstall(new App(), 'test', options).toJson() as Manifest[];
}

const of = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

const shutdownDelay = '--webhook-shutdown-delay=15s';

describe('the installation', () => {
  test('begins with the definitions and their protection', () => {
    const manifests = synthesized();
    expect(of(manifests, 'CustomResourceDefinition')).toHaveLength(4);
    expect(of(manifests, 'ValidatingAdmissionPolicy')[0]?.metadata.name).toBe('ordinal-operator-definitions');
    expect(of(synthesized({ crds: false }), 'CustomResourceDefinition')).toEqual([]);
  });

  test('mounts the authorities of API servers where only these may ask the webhooks', () => {
    const [deployment] = of(synthesized({ webhookClients: { configMap: 'callers', names: ['api'] } }), 'Deployment');
    const { containers, volumes } = deployment?.spec.template.spec ?? { containers: [] };
    expect(volumes).toEqual([{ name: 'webhook-clients', configMap: { name: 'callers' } }]);
    expect(containers[0]?.['args']).toEqual(
      expect.arrayContaining(['--webhook-client-ca=/etc/ordinal/webhook-clients/ca.crt', '--webhook-client-names=api']),
    );
    expect(containers[0]?.['volumeMounts']).toMatchObject([{ mountPath: '/etc/ordinal/webhook-clients' }]);
  });

  test('protects the definitions by what is deleted, not by the name of the request: a collection has none', () => {
    const [policy] = of(synthesized(), 'ValidatingAdmissionPolicy');
    expect(JSON.stringify(policy)).not.toContain('resourceNames');
    expect(JSON.stringify(policy)).toContain('oldObject.metadata.name in ');
  });

  test('has every new or changed spec judged, also of what is being deleted', () => {
    const [configuration] = of(synthesized(), 'ValidatingWebhookConfiguration');
    const [judged] = configuration?.webhooks ?? [];
    expect(judged?.matchConditions?.map(({ expression }) => expression)).toEqual([
      'oldObject == null || object.spec != oldObject.spec',
    ]);
  });

  test('runs without root, privileges, a writable file system and Service variables', () => {
    const [deployment] = of(synthesized(), 'Deployment');
    expect(deployment?.spec.template.spec).toMatchObject({
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(deployment?.spec.template.spec.containers[0]).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });

  test('serves its webhooks while nodes still send questions to a pod that goes, and counts on one only when they know of it', () => {
    const [deployment] = of(synthesized(), 'Deployment');
    expect(deployment?.spec).toMatchObject({ minReadySeconds: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(deployment?.spec.template.spec).toMatchObject({ terminationGracePeriodSeconds: 40 });
    const [container] = deployment?.spec.template.spec.containers ?? [];
    expect(container?.args).toContain(shutdownDelay);
    // While one slept the operator could neither release its lease nor end connections.
    expect(container).not.toHaveProperty('lifecycle');
  });

  test('gives permissions in the watched namespaces only, where they are named', () => {
    const manifests = synthesized({ watchNamespaces: ['shop', 'stock'] });
    const [clusterRole] = of(manifests, 'ClusterRole');
    expect(clusterRole?.rules).toEqual(operatorPermissions.cluster);
    expect(of(manifests, 'Role').map(({ metadata }) => metadata.namespace)).toEqual([
      'ordinal-system',
      'shop',
      'stock',
    ]);
    const flags = of(manifests, 'Deployment')[0]?.spec.template.spec.containers[0]?.['args'];
    expect(flags).toEqual([shutdownDelay, '--namespaces=shop,stock']);
  });

  test('leaves the webhooks out on both sides', () => {
    const manifests = synthesized({ webhooks: false });
    expect(of(manifests, 'ValidatingWebhookConfiguration')).toEqual([]);
    expect(of(manifests, 'Deployment')[0]?.spec.template.spec.containers[0]?.['args']).toEqual(['--webhooks=false']);
  });

  test('gives permission for the leases of the slots where the pods share the work', () => {
    const manifests = synthesized({ leaseName: 'blue', shareWork: true });
    const text = JSON.stringify(manifests.filter(({ kind }) => kind === 'Role'));
    expect(text.match(/blue-slot-\d+/g)).toEqual(Array.from({ length: 16 }, (_, slot) => `blue-slot-${slot}`));
    // The policy that keeps the operator out of its own namespace lets it write them.
    expect(JSON.stringify(manifests.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'))).toContain(
      'blue-slot-15',
    );
    expect(JSON.stringify(synthesized({ leaseName: 'blue' }))).not.toContain('-slot-');
  });

  test('gives permission for the lease that the flags name, and for no other', () => {
    const manifests = synthesized({ leaseName: 'ordinal-blue', shard: 'shard=blue' });
    const own = of(manifests, 'Role').find(({ metadata }) => metadata.name === 'ordinal-operator-own');
    const leases = (own?.rules as { resources: string[]; resourceNames?: string[] }[]).filter(
      ({ resources, resourceNames }) => resources.includes('leases') && resourceNames,
    );
    expect(leases.map(({ resourceNames }) => resourceNames)).toEqual([['ordinal-blue']]);
    const flags = of(manifests, 'Deployment')[0]?.spec.template.spec.containers[0]?.['args'];
    expect(flags).toEqual([shutdownDelay, '--lease-name=ordinal-blue', '--shard=shard=blue']);
  });

  test('shares nothing with another one but the definitions, their protection and the namespace', () => {
    const shared = { crds: false, createNamespace: false, monitoring: true, watchNamespaces: ['shop'] };
    const place = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    const first = synthesized(shared).map(place);
    const second = synthesized({ ...shared, name: 'ordinal-blue' });
    expect(second).toHaveLength(first.length);
    expect(second.map(place).filter((of) => first.includes(of))).toEqual([]);
    // Every name of the first one would be a tie between the two: to its pods, its account, its lease or its certificate.
    expect(JSON.stringify(second)).not.toContain('ordinal-operator"');
    expect(JSON.stringify(second)).not.toContain('ordinal-operator-');
    expect(of(second, 'Deployment')[0]?.spec.template.spec.containers[0]?.['args']).toContain(
      '--installation=ordinal-blue',
    );
  });

  test.each(['', 'Blue', '-a', 'a.b', 'a'.repeat(41)])('is not called %j', (name) => {
    expect(() => synthesized({ name })).toThrow(RangeError);
  });

  test('is asked about the namespaces that it watches only', () => {
    const [all] = of(synthesized(), 'ValidatingWebhookConfiguration');
    const values = ['kube-node-lease', 'kube-public', 'kube-system', 'ordinal-system'];
    const notReserved = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] };
    // Specs are judged everywhere: in reserved namespaces they are refused.
    const selectors = all?.webhooks.map(({ namespaceSelector }) => namespaceSelector);
    expect(selectors).toEqual([undefined, notReserved, notReserved, notReserved, notReserved]);
    const [some] = of(synthesized({ watchNamespaces: ['shop', 'stock'] }), 'ValidatingWebhookConfiguration');
    const inThem = { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop', 'stock'] };
    for (const { namespaceSelector } of some?.webhooks ?? [])
      expect(namespaceSelector).toEqual({ matchExpressions: [inThem] });
  });

  test('keeps out of the namespaces of Kubernetes and its own, but for what its role names there', () => {
    const policy = (options?: OperatorInstallOptions) =>
      JSON.stringify(of(synthesized(options), 'ValidatingAdmissionPolicy').slice(1));
    const kept = policy({ name: 'ordinal-blue', leaseName: 'blue' });
    expect(kept).toContain('"values":["kube-node-lease","kube-public","kube-system","ordinal-system"]');
    expect(kept).toContain("system:serviceaccount:ordinal-system:ordinal-blue'");
    expect(kept).toContain(String.raw`object.metadata.name in [\"ordinal-blue-webhooks\"]`);
    expect(kept).toContain(String.raw`object.metadata.name in [\"blue\"]`);
    expect(policy({ watchNamespaces: ['kube-system'] })).not.toContain('"kube-system"');
    const reported = { reservedNamespaces: ['argocd', 'kube-system'] };
    expect(policy(reported)).toContain('"values":["argocd","kube-system","ordinal-system"]');
    const flags = of(synthesized(reported), 'Deployment')[0]?.spec.template.spec.containers[0]?.['args'];
    expect(flags).toEqual([shutdownDelay, '--reserved-namespaces=argocd,kube-system']);
  });

  test('lets the operator change nothing of its webhooks but their authority', () => {
    const manifests = synthesized();
    const policy = of(manifests, 'ValidatingAdmissionPolicy').find(({ metadata: { name } }) =>
      name.endsWith('-webhooks'),
    );
    const { webhooks = [] } = of(manifests, 'ValidatingWebhookConfiguration')[0] ?? {};
    const fields = new Set(webhooks.flatMap((webhook) => Object.keys(webhook)));
    expect(fields.size).toBeGreaterThan(5);
    // What a webhook has at all: a field that comes to it is missed here until the policy pins it.
    for (const field of fields)
      expect(JSON.stringify(policy)).toMatch(
        field === 'clientConfig' ? 'now.clientConfig.?service' : new RegExp(`now\\.\\??${field} == was\\.\\??${field}`),
      );
  });

  test('holds what the operator makes to a level of the Pod Security Standards', () => {
    const names = (podSecurity?: OperatorInstallOptions['podSecurity']) =>
      of(synthesized(podSecurity ? { podSecurity } : {}), 'ValidatingAdmissionPolicy').map(
        ({ metadata }) => metadata.name,
      );
    expect(names()).toContain('ordinal-operator-pod-security');
    expect(names('privileged')).not.toContain('ordinal-operator-pod-security');
    expect(podRules.restricted.length).toBeGreaterThan(podRules.baseline.length);
  });

  test('has monitoring on request, with each alert under a name of its own', () => {
    expect(of(synthesized(), 'PrometheusRule')).toEqual([]);
    expect(of(synthesized({ monitoring: true }), 'PrometheusRule')).toHaveLength(1);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });
});
