import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, KubernetesObject } from '@ordinal/client';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { admitResource } from './judge.ts';

const specs: Readonly<Record<string, { readonly right: object; readonly wrong: object; readonly field: string }>> = {
  ClusteredCache: {
    right: { replicas: 3, image: 'cache:1' },
    wrong: { replicas: 3, image: 'cache:1', upgrade: { order: 'LeaderLast' } },
    field: 'spec.upgrade.role',
  },
  KVStoreCluster: {
    right: { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
    wrong: {
      version: '1',
      replicas: 1,
      storage: { className: 'standard', size: '1Gi' },
      canary: { analysis: { http: { path: '/ok' } } },
    },
    field: 'spec.canary.analysis.http.port',
  },
  MonitoredStatefulSet: {
    right: { monitorEndpoint: 'https://monitor.example.com', statefulSetSpec: setOf('web', 'web') },
    wrong: { monitorEndpoint: 'https://monitor.example.com', statefulSetSpec: setOf('web', 'other') },
    field: 'spec.statefulSetSpec',
  },
  CloudDatabase: {
    right: { engine: 'postgres', size: 'small', managementPolicies: ['*'] },
    wrong: {
      engine: 'postgres',
      size: 'small',
      managementPolicies: ['*'],
      providerRef: { name: 'account' },
      connectionSecretRef: { name: 'account' },
    },
    field: 'spec.connectionSecretRef.name',
  },
};

function setOf(selected: string, labelled: string): object {
  return {
    replicas: 1,
    serviceName: 'web',
    selector: { matchLabels: { app: selected } },
    template: { metadata: { labels: { app: labelled } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  };
}

const objectOf = (kind: string, spec: object, metadata: object = {}): KubernetesObject =>
  ({ apiVersion: 'example.com/v1', kind, metadata: { name: 'one', namespace: 'shop', ...metadata }, spec }) as never;

interface Review {
  readonly spec: { readonly resourceAttributes: { readonly resource: string; readonly verb: string } };
}

/** Asks on behalf of an author who may create and update StatefulSets and Jobs, or only some of these. */
async function ask(
  kind: string,
  object: KubernetesObject | null,
  options: { readonly old?: KubernetesObject; readonly may?: readonly string[]; readonly namespace?: string } = {},
): Promise<{ readonly verdict: Verdict; readonly asked: readonly object[] }> {
  const asked: object[] = [];
  const may = options.may ?? ['statefulsets', 'jobs'];
  const client = {
    request: (_method: string, _path: string, { body }: { readonly body: Review }) => {
      asked.push(body);
      const { resource, verb } = body.spec.resourceAttributes;
      return Promise.resolve({ status: { allowed: may.includes(resource) || may.includes(`${resource} ${verb}`) } });
    },
  } as unknown as Client; // What is asked of it is all that it is used for.
  const request = {
    uid: 'u',
    operation: options.old ? 'UPDATE' : 'CREATE',
    kind: { group: '', version: 'v1', kind },
    resource: { group: '', version: 'v1', resource: '' },
    namespace: options.namespace ?? 'shop',
    userInfo: { username: 'ann', groups: ['developers'], extra: { scopes: ['read'] } },
    object,
    oldObject: options.old ?? null,
  } as AdmissionRequest;
  return {
    verdict: await admitResource(request, { client, signal: new AbortController().signal, reserved: ['kube-system'] }),
    asked,
  };
}

describe.each(Object.entries(specs))('%s', (kind, { right, wrong, field }) => {
  test('passes with a spec that makes sense', async () => {
    expect((await ask(kind, objectOf(kind, right))).verdict.allowed).toBe(true);
  });

  test('is refused with one that makes none, and the field is named', async () => {
    const { verdict } = await ask(kind, objectOf(kind, wrong));
    expect(verdict).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
    expect(verdict.allowed ? '' : verdict.message).toContain(field);
  });

  test('passes with a spec that made none before and stays as it is', async () => {
    const old = objectOf(kind, wrong);
    expect((await ask(kind, objectOf(kind, wrong, { labels: { a: 'b' } }), { old })).verdict.allowed).toBe(true);
  });

  test('passes while it is being deleted and its spec stays, whatever it is, and is judged when its spec is new', async () => {
    const dying = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const old = objectOf(kind, wrong, { ...dying, finalizers: ['example.com/a'] });
    expect((await ask(kind, objectOf(kind, wrong, dying), { old })).verdict.allowed).toBe(true);
    const changed = await ask(kind, objectOf(kind, wrong, dying), { old: objectOf(kind, right, dying) });
    expect(changed.verdict).toMatchObject({ allowed: false, code: 422 });
    expect((await ask(kind, objectOf(kind, wrong, dying))).verdict).toMatchObject({ allowed: false, code: 422 });
  });
});

describe('a reserved namespace', () => {
  test.each(Object.keys(specs))(
    'takes no new spec of kind %s, and allows the deletion of what is there',
    async (kind) => {
      const object = objectOf(kind, specs[kind]?.right ?? {});
      const namespace = 'kube-system';
      const { verdict } = await ask(kind, object, { namespace });
      expect(verdict).toMatchObject({ allowed: false, code: 403, reason: 'Forbidden' });
      expect(verdict.allowed ? '' : verdict.message).toContain('keeps no resources in namespace kube-system');
      expect((await ask(kind, object, { namespace, old: object })).verdict.allowed).toBe(true);
    },
  );
});

test.each(Object.keys(specs))('a new spec of kind %s that is too large for the cache is refused', async (kind) => {
  const object = objectOf(kind, { ...specs[kind]?.right, filling: 'x'.repeat(400_000) });
  const { verdict } = await ask(kind, object);
  expect(verdict).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
  expect(verdict.allowed ? '' : verdict.message).toMatch(/takes 400\d\d\d characters as JSON/);
  expect((await ask(kind, object, { old: object })).verdict.allowed).toBe(true);
});

describe('the author of a spec that becomes a StatefulSet', () => {
  const kinds = Object.keys(specs).filter((kind) => kind !== 'CloudDatabase');

  test.each(kinds)('of kind %s is refused where he may not create one', async (kind) => {
    const { verdict } = await ask(kind, objectOf(kind, specs[kind]?.right ?? {}), { may: [] });
    expect(verdict).toMatchObject({ allowed: false, code: 403, reason: 'Forbidden' });
    expect(verdict.allowed ? '' : verdict.message).toContain('ann may not create statefulsets.apps in namespace shop');
  });

  test('is asked about by name and groups, in the namespace, and with the verb that fits', async () => {
    const old = objectOf('KVStoreCluster', { ...specs['KVStoreCluster']?.right, version: '0' });
    const { asked } = await ask('KVStoreCluster', objectOf('KVStoreCluster', specs['KVStoreCluster']?.right ?? {}), {
      old,
    });
    const resourceAttributes = { group: 'apps', resource: 'statefulsets', verb: 'update', namespace: 'shop' };
    const extra = { scopes: ['read'] };
    expect(asked).toMatchObject([{ spec: { user: 'ann', groups: ['developers'], extra, resourceAttributes } }]);
  });

  test('is refused where he may create a StatefulSet, and not change the one that would be taken over', async () => {
    const adopt = { statefulSet: 'orders', serviceName: 'orders', selector: { app: 'orders' } };
    const object = objectOf('ClusteredCache', { ...specs['ClusteredCache']?.right, adopt });
    const { verdict, asked } = await ask('ClusteredCache', object, { may: ['statefulsets create'] });
    expect(asked).toMatchObject([
      { spec: { resourceAttributes: { verb: 'create' } } },
      { spec: { resourceAttributes: { verb: 'update' } } },
    ]);
    expect(verdict.allowed ? '' : verdict.message).toContain('takes over a StatefulSet, and ann may not update');
  });

  test('is not asked about where nothing is built, or the spec stays', async () => {
    const database = await ask('CloudDatabase', objectOf('CloudDatabase', specs['CloudDatabase']?.right ?? {}));
    const same = objectOf('KVStoreCluster', specs['KVStoreCluster']?.right ?? {});
    const unchanged = await ask('KVStoreCluster', same, { old: same });
    expect([...database.asked, ...unchanged.asked]).toEqual([]);
  });

  test('is asked about while the object is being deleted, as the operator works on until it is gone', async () => {
    const dying = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const spec = specs['KVStoreCluster']?.right ?? {};
    const born = await ask('KVStoreCluster', objectOf('KVStoreCluster', spec, dying), { may: [] });
    expect(born.verdict).toMatchObject({ allowed: false, code: 403 });
    const old = objectOf('KVStoreCluster', { ...spec, version: '0' }, dying);
    const changed = await ask('KVStoreCluster', objectOf('KVStoreCluster', spec, dying), { old, may: [] });
    expect(changed.verdict).toMatchObject({ allowed: false, code: 403 });
  });
});

const task = { command: ['/bin/do'] };
const jobTemplate = { template: { template: { spec: { containers: [{ name: 'gate', image: 'gate:1' }] } } } };

/** Every field of a spec that becomes a Job. */
const withJobs: readonly (readonly [kind: string, field: string, part: object])[] = [
  ['ClusteredCache', 'upgrade.gates[].job', { upgrade: { gates: [{ name: 'a', target: 'Self', job: jobTemplate }] } }],
  [
    'ClusteredCache',
    'upgrade.canary.analysis.job',
    { upgrade: { canary: { replicas: 1, bake: '0s', analysis: { job: task } } } },
  ],
  ['ClusteredCache', 'upgrade.beforeFirstPod', { upgrade: { beforeFirstPod: task } }],
  ['KVStoreCluster', 'backup.job', { backup: { job: task } }],
  ['KVStoreCluster', 'upgrade.gates[].job', { upgrade: { gates: [{ name: 'a', target: 'Self', job: jobTemplate }] } }],
  ['KVStoreCluster', 'backup.prune', { backup: { job: task, retention: { count: 3 }, prune: task } }],
  ['KVStoreCluster', 'backup.drill.check', { backup: { job: task, drill: { restore: task, check: task } } }],
  ['KVStoreCluster', 'backup.drill.restore', { backup: { job: task, drill: { restore: task, check: task } } }],
  ['KVStoreCluster', 'canary.analysis.job', { canary: { replicas: 1, analysis: { job: task } } }],
  ['KVStoreCluster', 'delete.before', { delete: { before: task } }],
  ['KVStoreCluster', 'restoreFrom.job', { restoreFrom: { backup: 'b', job: task } }],
  ['KVStoreCluster', 'scaleDown.before', { scaleDown: { before: task } }],
  ['KVStoreCluster', 'upgrade.beforeFirstPod', { upgrade: { beforeFirstPod: task } }],
  ['MonitoredStatefulSet', 'cleanupJob', { cleanupJob: { image: 'clean:1' } }],
  ['MonitoredStatefulSet', 'upgrade.beforeFirstPod', { upgrade: { beforeFirstPod: task } }],
  [
    'MonitoredStatefulSet',
    'upgrade.canary.analysis.job',
    { upgrade: { canary: { replicas: 1, bake: '0s', analysis: { job: task } } } },
  ],
  [
    'MonitoredStatefulSet',
    'upgrade.gates[].job',
    { upgrade: { gates: [{ name: 'a', target: 'Self', job: jobTemplate }] } },
  ],
];

describe('the author of a spec that asks for Jobs', () => {
  test.each(withJobs)('%s: %s needs the right to create Jobs too', async (kind, _field, part) => {
    const object = objectOf(kind, { ...specs[kind]?.right, ...part });
    const refused = await ask(kind, object, { may: ['statefulsets'] });
    expect(refused.verdict).toMatchObject({ allowed: false, code: 403 });
    expect(refused.verdict.allowed ? '' : refused.verdict.message).toContain('ann may not create jobs.batch');
    expect((await ask(kind, object)).verdict.allowed).toBe(true);
    // Without one, or where it stays as it is, no review is asked for.
    const without = await ask(kind, objectOf(kind, specs[kind]?.right ?? {}), { may: ['statefulsets'] });
    expect(without.verdict.allowed).toBe(true);
    expect((await ask(kind, object, { old: object, may: [] })).verdict.allowed).toBe(true);
  });

  test('these are all fields of the definitions that say what a Job runs', () => {
    const found = definitions.flatMap(({ kind, spec }) => jobFields(spec).map((field) => `${kind}: ${field}`));
    expect(found.sort()).toEqual(withJobs.map(([kind, field]) => `${kind}: ${field}`).sort());
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const crds = join(import.meta.dirname, '../../../../libs/api/crds');
const definitions = readdirSync(crds).flatMap((file) => {
  const { spec } = parse(readFileSync(join(crds, file), 'utf8')) as Definition;
  return spec.versions.map(({ schema }) => ({
    kind: spec.names.kind,
    spec: schema.openAPIV3Schema.properties?.['spec'] ?? {},
  }));
});

/** Pods and StatefulSets themselves are no Jobs: what is in their templates runs in the members. */
const embedded: ReadonlySet<string> = new Set(['podTemplate', 'statefulSetSpec', 'template']);

/** Where a schema says how long a task may take: what runs to its end is a Job. */
function jobFields({ properties = {}, items }: Schema, path = ''): string[] {
  if ('retries' in properties || 'activeDeadlineSeconds' in properties) return [path];
  if (path.endsWith('.job') && 'template' in properties) return [path];
  return [
    ...Object.entries(properties).flatMap(([name, schema]) =>
      embedded.has(name) ? [] : jobFields(schema, path === '' ? name : `${path}.${name}`),
    ),
    ...(items ? jobFields(items, `${path}[]`) : []),
  ];
}
