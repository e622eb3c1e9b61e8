import type { Client, KubernetesObject } from '@ordinal/client';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { describe, expect, test } from 'vitest';
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

/** Asks on behalf of an author who may create and update StatefulSets, or may not. */
async function ask(
  kind: string,
  object: KubernetesObject | null,
  options: { readonly old?: KubernetesObject; readonly mayBuild?: boolean } = {},
): Promise<{ readonly verdict: Verdict; readonly asked: readonly object[] }> {
  const asked: object[] = [];
  const client = {
    request: (_method: string, _path: string, { body }: { readonly body: object }) => {
      asked.push(body);
      return Promise.resolve({ status: { allowed: options.mayBuild ?? true } });
    },
  } as unknown as Client; // What is asked of it is all that it is used for.
  const request = {
    uid: 'u',
    operation: options.old ? 'UPDATE' : 'CREATE',
    kind: { group: '', version: 'v1', kind },
    resource: { group: '', version: 'v1', resource: '' },
    namespace: 'shop',
    userInfo: { username: 'ann', groups: ['developers'], extra: { scopes: ['read'] } },
    object,
    oldObject: options.old ?? null,
  } as AdmissionRequest;
  return { verdict: await admitResource(request, client, new AbortController().signal), asked };
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

  test('passes while it is being deleted, whatever its spec', async () => {
    const dying = objectOf(kind, wrong, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await ask(kind, dying)).verdict.allowed).toBe(true);
  });
});

describe('the author of a spec that becomes a StatefulSet', () => {
  const kinds = Object.keys(specs).filter((kind) => kind !== 'CloudDatabase');

  test.each(kinds)('of kind %s is refused where he may not create one', async (kind) => {
    const { verdict } = await ask(kind, objectOf(kind, specs[kind]?.right ?? {}), { mayBuild: false });
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

  test('is not asked about where nothing is built, or the spec stays', async () => {
    const database = await ask('CloudDatabase', objectOf('CloudDatabase', specs['CloudDatabase']?.right ?? {}));
    const same = objectOf('KVStoreCluster', specs['KVStoreCluster']?.right ?? {});
    const unchanged = await ask('KVStoreCluster', same, { old: same });
    expect([...database.asked, ...unchanged.asked]).toEqual([]);
  });
});
