import { kvStoreClusters } from '@ordinal/api';
import type { Client } from '@ordinal/client';
import { ApiError, namespaces, persistentVolumeClaims, pods } from '@ordinal/client';
import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test, vi } from 'vitest';
import { judgedPart } from '../../src/kv-store-cluster/backup/judged-part.ts';
import { NamespaceGate } from '../../src/kv-store-cluster/index.ts';
import { clusterMemory } from '../../src/kv-store-cluster/memory.ts';
import { clusterFinalizer } from '../../src/kv-store-cluster/observation.ts';
import { SealedStatuses } from '@ordinal/lifecycle';
import { seals } from '../operator/parts.ts';
import { contradictionsIn } from '../world/phase-and-conditions.ts';
import { judgeNamespaces } from '../world/own-webhook.ts';
import { kvStoreWorld, store } from './kv-store-world.ts';
import { holderOf, until } from './store-steps.ts';

const backup = { job: { command: ['backup'] } };

const inShop = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('shop');
const namespace = (cluster: SimulatedCluster) => cluster.objects.find(namespaces, '', 'shop');
const storeIn = (cluster: SimulatedCluster) => cluster.objects.find(kvStoreClusters, 'shop', 'orders');
const remove = (cluster: SimulatedCluster) => cluster.client()(namespaces).cluster().delete('shop');
const annotateNamespace = (cluster: SimulatedCluster, annotations: object) =>
  cluster
    .client()(namespaces)
    .cluster()
    .patch('shop', { type: 'merge', body: { metadata: { annotations } } });

const sealedFirst = new WeakMap<SimulatedCluster, object>();

/** The first status that the operator has sealed. */
const first = (cluster: SimulatedCluster): object => sealedFirst.get(cluster) ?? expect.fail('none was sealed');

/** A cluster that serves in a namespace of its own, and the operator's webhook on namespaces unless it is down. */
async function shop(spec: Parameters<typeof store>[0], { webhook = true } = {}) {
  const world = await kvStoreWorld();
  const { cluster } = world;
  await cluster
    .client()(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  if (webhook) {
    const gate = new NamespaceGate({ client: cluster.client(), seals });
    await judgeNamespaces(cluster, (request) => gate.admit(request, new AbortController().signal));
  }
  await inShop(cluster).create({ ...store(spec), metadata: { name: 'orders', namespace: 'shop' } });
  await until(cluster, () => {
    const { status } = storeIn(cluster) ?? {};
    if (status?.seal !== undefined && !sealedFirst.has(cluster)) sealedFirst.set(cluster, status);
    return status?.phase === 'Ready';
  });
  return world;
}

describe('the deletion of a namespace with a required final backup that is due', () => {
  test('is refused with the commands that go on, and passes once the backup is made', async () => {
    const { cluster } = await shop({ backup });
    await expect(remove(cluster)).rejects.toThrow(/orders is required and not made.*kubectl delete kvs -n shop orders/);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeUndefined();
    await inShop(cluster).delete('orders');
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    await until(cluster, () => storeIn(cluster) === undefined);
    await remove(cluster);
    await until(cluster, () => namespace(cluster) === undefined);
    expect(namespace(cluster)).toBeUndefined();
    cluster.stop();
  });

  test('passes where the namespace says so by its UID, and by no other one', async () => {
    const { cluster } = await shop({ backup });
    await annotateNamespace(cluster, { 'ordinal.dev/leave-backups-out': 'true' });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    await annotateNamespace(cluster, { 'ordinal.dev/leave-backups-out': namespace(cluster)?.metadata.uid });
    await remove(cluster);
    await until(cluster, () => namespace(cluster) === undefined);
    expect(namespace(cluster)).toBeUndefined();
    cluster.stop();
  });

  test('is refused also where another client has emptied the status', async () => {
    const { cluster } = await shop({ backup });
    await inShop(cluster).status.patch('orders', { type: 'merge', body: { status: null } });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    cluster.stop();
  });

  test('is refused also where another client has put back the status of before there was data', async () => {
    const { cluster } = await shop({ backup });
    const early = first(cluster);
    expect(early).not.toHaveProperty('mayHoldData');
    const whole = Object.keys(storeIn(cluster)?.status ?? {}).map((field) => [field, null]);
    const status = { ...Object.fromEntries(whole), ...early };
    await inShop(cluster).status.patch('orders', { type: 'merge', body: { status } });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    cluster.stop();
  });

  test('passes where the webhook is down, which the condition and an event about the namespace say', async () => {
    const { cluster, events, failures } = await shop({ backup }, { webhook: false });
    const degraded: string[] = [];
    const contradictions = new Set<string>();
    const hold = holderOf(cluster, pods, 'orders-1', 'shop');
    await hold(['example.com/stuck']);
    await inShop(cluster).delete('orders');
    await remove(cluster);
    await cluster.advance(60_000);
    await hold(null);
    await until(cluster, () => {
      const status = storeIn(cluster)?.status;
      const found = status?.conditions?.find(({ type }) => type === 'Degraded');
      if (found?.status === 'True') degraded.push(`${status?.phase ?? ''} ${found.reason}`);
      for (const what of contradictionsIn('KVStoreCluster', status)) contradictions.add(what);
      return namespace(cluster) === undefined;
    });
    await cluster.advance(60_000);
    expect(degraded).toContain('Terminating FinalBackupLeftOut');
    expect([...contradictions]).toEqual([]);
    const reported = events.filter(({ reason }) => reason === 'StepsLeftOut');
    expect(reported.map(({ regarding }) => regarding.kind).sort()).toEqual(['KVStoreCluster', 'Namespace']);
    expect(reported.find(({ regarding }) => regarding.kind === 'Namespace')?.note).toContain('shop/orders');
    // What was left out has not failed.
    expect(failures).not.toContain('StepsLeftOut');
    expect(cluster.objects.list(persistentVolumeClaims, 'shop')).toEqual([]);
    cluster.stop();
  });
});

describe('the deletion of a namespace passes', () => {
  test.each([
    ['best effort', { backup: { ...backup, onDelete: 'BestEffort' as const } }],
    ['none', {}],
  ])('where the final backup is %s', async (_what, spec) => {
    const { cluster } = await shop(spec);
    await remove(cluster);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeDefined();
    cluster.stop();
  });

  test('where the store leaves the backup out', async () => {
    const { cluster } = await shop({ backup });
    const annotations = { 'ordinal.dev/skip': 'FinalBackup' };
    await inShop(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });
    await remove(cluster);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeDefined();
    cluster.stop();
  });
});

describe('under load, the deletion of a namespace', () => {
  const signal = () => new AbortController().signal;
  const requestFor = (annotations: Readonly<Record<string, string>> = {}): AdmissionRequest => ({
    ...{ uid: 'r', operation: 'DELETE', name: 'shop', userInfo: {}, object: null },
    kind: { group: '', version: 'v1', kind: 'Namespace' },
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    oldObject: {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: {
        name: 'shop',
        uid: 'n',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations,
      },
    },
  });
  const annotated = requestFor({ 'ordinal.dev/leave-backups-out': 'n' });

  /** A gate over an API server that answers lists when it is let, and how many it was asked for. */
  function gateOver(list: (signal: AbortSignal) => Promise<readonly object[]>) {
    const asked = { lists: 0 };
    const client = ((kind: { readonly plural: string }) => ({
      namespace: () => ({
        list: async (options: { readonly signal: AbortSignal }) => {
          if (kind.plural !== kvStoreClusters.plural) return { items: [] };
          asked.lists += 1;
          return { items: await list(options.signal) };
        },
      }),
    })) as unknown as Client; // The methods that are called.
    return { gate: new NamespaceGate({ client, seals }), asked };
  }

  test('is judged by a look that began after it was asked for, which all share that waited', async () => {
    const looks: PromiseWithResolvers<readonly object[]>[] = [];
    const { gate, asked } = gateOver(() => {
      const look = Promise.withResolvers<readonly object[]>();
      looks.push(look);
      return look.promise;
    });
    const verdicts = Array.from({ length: 64 }, () => gate.admit(requestFor(), signal()));
    expect(asked.lists).toBe(1);
    looks[0]?.resolve([]);
    expect(await verdicts[0]).toEqual({ allowed: true });
    await vi.waitFor(() => expect(asked.lists).toBe(2));
    looks[1]?.resolve([]);
    expect(await Promise.all(verdicts)).toEqual(Array.from({ length: 64 }, () => ({ allowed: true })));
    expect(asked.lists).toBe(2);
  });

  test('is refused with 429 where it takes too long, which ends the look, and passes where the namespace says so', async () => {
    let seen: AbortSignal | undefined;
    const { gate, asked } = gateOver(async (given) => {
      seen = given;
      return await new Promise(() => undefined);
    });
    const late = new AbortController();
    const verdict = gate.admit(requestFor(), late.signal);
    late.abort(new Error('it took too long'));
    expect(await verdict).toMatchObject({
      allowed: false,
      code: 429,
      message: expect.stringMatching(/too long.*Try again/) as string,
    });
    expect(seen?.aborted).toBe(true);
    expect(await gate.admit(annotated, signal())).toEqual({ allowed: true });
    expect(gate.undecided(annotated, 'too many')).toEqual({ allowed: true });
    expect(gate.undecided(requestFor(), 'too many')).toMatchObject({ allowed: false, code: 429 });
    expect(asked.lists).toBe(1);
  });

  test.each([
    [503, { allowed: false, code: 429 }],
    [403, { allowed: true, warnings: [expect.stringMatching(/could not find out/) as string] }],
  ])('where the list fails with %i is answered with %o', async (code, verdict) => {
    const { gate } = gateOver(() =>
      Promise.reject(new ApiError({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code }, 'list')),
    );
    expect(await gate.admit(requestFor(), signal())).toMatchObject(verdict);
  });
});

describe('what is kept of a cluster to judge the deletion of its namespace', () => {
  const listed = (more: { readonly hooks: readonly object[]; readonly finalizers?: readonly string[] }) => ({
    ...store({ backup }),
    metadata: {
      ...{
        name: 'orders',
        namespace: 'shop',
        uid: 'u',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      ...{ annotations: { 'ordinal.dev/skip': 'Backup', 'tenant/other': 'x'.repeat(100_000) } },
      ...(more.finalizers === undefined ? {} : { finalizers: more.finalizers }),
    },
    status: { hooks: more.hooks, conditions: [{ message: 'x'.repeat(100_000) }] },
  });
  const hook = { job: 'x'.repeat(940) };

  test.each([{}, { finalizers: ['tenant/other', clusterFinalizer] }])(
    'is little where the status is long, which is not trusted then: %o',
    (more) => {
      const kept = judgedPart(listed({ hooks: Array.from({ length: 1000 }, () => hook), ...more }));
      expect(JSON.stringify(kept).length).toBeLessThan(1000);
      expect(new SealedStatuses(clusterMemory, seals).trusts(kept)).toBe(false);
    },
  );

  test('has all that the seal covers of a status that is not', () => {
    const kept = judgedPart(listed({ hooks: [hook] }));
    expect(kept).toMatchObject({
      status: { hooks: [hook] },
      metadata: { annotations: { 'ordinal.dev/skip': 'Backup' } },
    });
    expect(JSON.stringify(kept).length).toBeLessThan(2000);
  });
});
