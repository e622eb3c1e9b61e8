import { conditionOf, jobs, pods, statefulSets } from '@ordinal/client';
import type { Pod, Transport } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { SimulatedCluster } from '@ordinal/simulator';
import type { OperatorEnvironment } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { isReady } from '../clustered-cache/cache-world.ts';
import { register } from '../clustered-cache/drain-world.ts';
import { answered, asked, operator } from '../clustered-cache/drain-world.ts';
import { isBystander } from '../world/bystander.ts';
import { serveStoreGate } from './serve-gate.ts';
import { allHaveData, close, guards, guardsOf, hasData, installGuardedImages } from './guarded-world.ts';
import { ailing, images, installImages, kvStoreCluster, operatorOf, store, storeNow } from './kv-store-world.ts';
import { allRun, annotate, change, resource } from './cluster-states.ts';

/** A cluster of three members with the webhooks; `isAnswering`: whether the operator answers. The requests of users in `held` are refused. */
async function world(spec: Parameters<typeof store>[0] = {}, { isAnswering = true } = {}) {
  const cluster = await SimulatedCluster.start({ ...kvStoreCluster, seed: 1 });
  await installImages(cluster);
  if (spec.port !== undefined) installGuardedImages(cluster);
  const reported: string[] = [];
  const publish = ({ reason, note }: { readonly reason: string; readonly note: string }): void => {
    if (reason === 'GateBypassed') reported.push(note);
  };
  const late = { until: Promise.resolve(), answered: () => Promise.resolve() };
  const start = operatorOf({ publish, attend: serveStoreGate });
  cluster.operator('ordinal', (environment) => start({ ...environment, transport: slow(environment, late) }), {
    name: operator,
    groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
  });
  const held = new Set<string>();
  cluster.external(asked, ({ body }) => {
    if (!isAnswering) throw new Error('no replica answers');
    const { uid, userInfo } = readReview(body);
    if (held.has(userInfo.username ?? '')) {
      const refusal = { allowed: false, code: 429, reason: 'TooManyRequests', message: 'held by the test' } as const;
      return { status: 200, body: JSON.stringify(reviewReply(uid, refusal)) };
    }
    return cluster.http(answered, { method: 'POST', body }).then(async (reply) => {
      const text = await reply.text();
      await late.answered();
      return { status: reply.status, body: text };
    });
  });
  await register(cluster, { name: operatorName });
  await resource(cluster).create(store(spec));
  await cluster.run({ until: () => allRun(cluster, '1.0') && present(cluster).length === 3, maxVirtualMs: 600_000 });
  return { cluster, reported, held, late };
}

/** The way to the API server on which what the operator makes of the StatefulSet arrives late. */
const slow = ({ transport }: OperatorEnvironment, late: { readonly until: Promise<void> }): Transport => ({
  send: async (request) => {
    const isApply = request.headers?.['content-type']?.includes('apply') === true;
    if (isApply && request.path.includes('/statefulsets/')) await late.until;
    return transport.send(request);
  },
  connect: (request) => transport.connect(request),
  close: () => transport.close(),
});

const present = (cluster: SimulatedCluster): readonly Pod[] =>
  cluster.objects
    .list(pods, 'default')
    .filter((pod) => pod.metadata.labels?.['app'] === 'orders' && !isBystander(pod) && isReady(pod));

/** Makes the request; what the API server answered where it refused. */
async function go(cluster: SimulatedCluster, how: 'evict' | 'delete', name: string): Promise<string | undefined> {
  const request =
    how === 'evict'
      ? cluster.client().pods.evict({ namespace: 'default', pod: name })
      : cluster.client()(pods).namespace('default').delete(name);
  let answer: string | undefined | 'none' = 'none';
  request.then(
    () => (answer = undefined),
    (refusal: unknown) => (answer = String(refusal)),
  );
  await cluster.run({ until: () => answer !== 'none', maxVirtualMs: 20_000 });
  return answer;
}

const untilAllServe = (cluster: SimulatedCluster) =>
  cluster.run({ until: () => present(cluster).length === 3, maxVirtualMs: 600_000 });

describe.each([
  ['evictions', 'evict'],
  ['deletions by hand', 'delete'],
] as const)('%s of members', (_what, how) => {
  test('take one member at a time, and a broken one at any time', async () => {
    const { cluster, reported } = await world();
    expect(await go(cluster, how, 'orders-1')).toBeUndefined();
    expect(storeNow(cluster)?.metadata.annotations?.['ordinal.dev/reservation']).toMatch(/ orders-1$/);
    expect(await go(cluster, how, 'orders-0')).toMatch(/orders-0 may not go down yet/);
    await untilAllServe(cluster);
    expect(await go(cluster, how, 'orders-0')).toBeUndefined();
    await untilAllServe(cluster);
    ailing.set(cluster, 'orders-2');
    await cluster.run({ until: () => present(cluster).length === 2, maxVirtualMs: 600_000 });
    expect(await go(cluster, how, 'orders-0')).toMatch(/its peer orders-2 is not ready/);
    // The budget has its own say about evictions.
    if (how === 'delete') expect(await go(cluster, how, 'orders-2')).toBeUndefined();
    expect(reported).toEqual([]);
  });

  test('are refused for members whose StatefulSet another client makes smaller before their gates are open: it is put back', async () => {
    const { cluster, reported } = await world({ port: 6379, upgrade: { gates: [...guards.gates] } });
    close(cluster, 600_000);
    await change(cluster, { replicas: 1 });
    await cluster.run({ until: () => storeNow(cluster)?.status?.shrinkingFrom === 3, maxVirtualMs: 60_000 });
    await cluster.client()(statefulSets).namespace('default').scale.update('orders', 1);
    await cluster.advance(30_000);
    expect(cluster.objects.find(statefulSets, 'default', 'orders')?.spec.replicas).toBe(3);
    expect(await go(cluster, how, 'orders-2')).toMatch(/orders-2 may not go down yet/);
    expect(present(cluster)).toHaveLength(3);
    expect(reported).toEqual([
      'another client has made the StatefulSet smaller, to 1, before the gates of its members are open: orders-1 and those after it come back',
    ]);
    await cluster.run({ until: () => present(cluster).length === 1, maxVirtualMs: 1_200_000 });
    expect(present(cluster)).toHaveLength(1);
    await cluster.advance(30_000);
    expect(storeNow(cluster)?.status).not.toHaveProperty('shrinkingFrom');
  });

  test('wait while a Job works on the members, unless a user opens the gates of one by hand', async () => {
    const { cluster } = await world({ backup: { job: { command: ['linger'], deadline: '1h' } } });
    await annotate(cluster, { 'ordinal.dev/backup': 'now' });
    await cluster.run({ until: () => false, maxVirtualMs: 30_000 });
    expect(await go(cluster, how, 'orders-1')).toMatch(/the Job orders-backup-\w+ works on the members/);
    const uid = present(cluster).find(({ metadata }) => metadata.name === 'orders-1')?.metadata.uid;
    await annotate(cluster, { 'ordinal.dev/open-gates': uid });
    expect(await go(cluster, how, 'orders-1')).toBeUndefined();
  });

  test('do not wait for a Job of another client that looks like one of those', async () => {
    const { cluster } = await world();
    const { uid = '' } = storeNow(cluster)?.metadata ?? {};
    const labels = {
      ...{ 'app.kubernetes.io/managed-by': 'ordinal-operator', 'ordinal.dev/purpose': 'Backup' },
      ...{ 'ordinal.dev/owner-uid': uid, 'ordinal.dev/task-of': 'orders' },
    };
    cluster.image('theirs:1', { run: () => new Promise<number>(() => undefined) });
    const container = { name: 'task', image: 'theirs:1' };
    await cluster
      .client()(jobs)
      .namespace('default')
      .create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'theirs', namespace: 'default', labels },
        spec: { template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [container] } } },
      });
    await cluster.run({ until: () => false, maxVirtualMs: 30_000 });
    expect(await go(cluster, how, 'orders-1')).toBeUndefined();
  });

  test('wait for the upgrade, which no gate holds up', async () => {
    const { cluster, reported } = await world();
    await change(cluster, { version: '2.0' });
    await cluster.run({ until: () => images(cluster).includes('2.0'), maxVirtualMs: 60_000 });
    expect(await go(cluster, how, 'orders-0')).toMatch(/may not go down yet/);
    await cluster.run({ until: () => allRun(cluster, '2.0'), maxVirtualMs: 120_000 });
    expect(allRun(cluster, '2.0')).toBe(true);
    expect(reported).toEqual([]);
  });

  test('go through where no replica answers, and are reported once, until the next upgrade begins', async () => {
    const { cluster, reported } = await world({}, { isAnswering: false });
    expect(await go(cluster, how, 'orders-1')).toBeUndefined();
    await untilAllServe(cluster);
    expect(reported).toEqual([expect.stringMatching(/^orders-1 \(.*\) was deleted although/)]);
    const found = () => conditionOf(storeNow(cluster)?.status?.conditions, 'GateBypassed');
    expect(found()).toMatchObject({ status: 'True', reason: 'GateBypassed', message: reported[0] });
    await change(cluster, { version: '2.0' });
    await cluster.run({ until: () => allRun(cluster, '2.0'), maxVirtualMs: 3_600_000 });
    expect(found()).toMatchObject({ status: 'False', reason: 'NewUpgrade' });
    expect(reported).toHaveLength(1);
  });
});

test('a deletion of the cluster is held up by no gate', async () => {
  const { cluster } = await world();
  await resource(cluster).delete('orders');
  await cluster.run({ until: () => storeNow(cluster) === undefined, maxVirtualMs: 600_000 });
  expect(present(cluster)).toEqual([]);
});

const statefulSetController = 'system:serviceaccount:kube-system:statefulset-controller';

test('while the StatefulSet’s controller has yet to replace a member, no drain takes another one', async () => {
  const { cluster, held } = await world();
  held.add(statefulSetController);
  await change(cluster, { version: '2.0' });
  await cluster.run({ until: () => false, maxVirtualMs: 10_000 });
  expect(present(cluster)).toHaveLength(3);
  expect(await go(cluster, 'delete', 'orders-0')).toMatch(/orders-2 is being replaced or taken away by the operator/);
  held.clear();
  await cluster.run({ until: () => allRun(cluster, '2.0'), maxVirtualMs: 1_200_000 });
  expect(allRun(cluster, '2.0')).toBe(true);
});

test('an upgrade goes on while a Job works on the members: what is released is not asked about again', async () => {
  const { cluster } = await world({ backup: { job: { command: ['linger'], deadline: '1h' } } });
  await annotate(cluster, { 'ordinal.dev/backup': 'now' });
  await cluster.run({ until: () => false, maxVirtualMs: 30_000 });
  await change(cluster, { version: '2.0' });
  await cluster.run({ until: () => allRun(cluster, '2.0'), maxVirtualMs: 120_000 });
  expect(allRun(cluster, '2.0')).toBe(true);
});

test('an upgrade and a reduction release no member while one that may be deleted still serves, for half a minute', async () => {
  const { cluster } = await world();
  const uid = present(cluster).find(({ metadata }) => metadata.name === 'orders-0')?.metadata.uid ?? '';
  await annotate(cluster, { 'ordinal.dev/reservation': `${uid} 2026-01-01T00:00:30Z orders-0` });
  await cluster.run({ until: () => false, maxVirtualMs: 1_000 });
  await change(cluster, { version: '2.0', replicas: 2 });
  await cluster.run({ until: () => false, maxVirtualMs: 20_000 });
  expect(present(cluster)).toHaveLength(3);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  await cluster.run({ until: () => allRun(cluster, '2.0'), maxVirtualMs: 120_000 });
  expect(images(cluster)).toEqual(['2.0', '2.0']);
});

describe('where members are asked', () => {
  test('a drain meets the gates that an upgrade meets', async () => {
    const { cluster } = await world({ port: 6379, upgrade: { gates: [...guards.gates] } });
    close(cluster, 30_000);
    expect(await go(cluster, 'evict', 'orders-2')).toMatch(/gate peers: orders-0: HTTP 503/);
    await cluster.run({ until: () => false, maxVirtualMs: 31_000 });
    expect(await go(cluster, 'evict', 'orders-2')).toBeUndefined();
  });

  test('a drain waits until the replacement before has caught up', async () => {
    const { cluster } = await world({ port: 6379, upgrade: { sync: guards.sync } });
    allHaveData(cluster);
    expect(await go(cluster, 'evict', 'orders-1')).toBeUndefined();
    await untilAllServe(cluster);
    expect(await go(cluster, 'evict', 'orders-2')).toMatch(/orders-2 may not go down yet: .*orders-1: HTTP 503/);
    await cluster.run({ until: () => false, maxVirtualMs: 30_000 });
    expect(await go(cluster, 'evict', 'orders-2')).toBeUndefined();
  });

  test('a drain is decided however many questions depend on each other: where no member leads, all of them are asked', async () => {
    const { gates, role, sync } = guards;
    const { cluster } = await world({ port: 6379, upgrade: { gates: [...gates], role, sync } });
    allHaveData(cluster);
    expect(await go(cluster, 'evict', 'orders-1')).toBeUndefined();
    await untilAllServe(cluster);
    await cluster.run({ until: () => false, maxVirtualMs: 30_000 });
    const known = guardsOf(cluster);
    known.leader = 'none';
    for (const { metadata } of present(cluster)) known.handedOver.add(metadata.uid);
    expect(await go(cluster, 'evict', 'orders-2')).toBeUndefined();
  });
});

/** A cluster whose members are asked for their data, and whose StatefulSet is being written for a change of the spec. */
async function whileWritten(spec: Parameters<typeof change>[1]) {
  const made = await world({ port: 6379, upgrade: { gates: [...guards.gates], sync: guards.sync } });
  const { cluster, late } = made;
  allHaveData(cluster);
  const written = Promise.withResolvers<undefined>();
  late.until = written.promise;
  await change(cluster, spec);
  await cluster.run({ until: () => false, maxVirtualMs: 1_000 });
  return { ...made, arrive: () => written.resolve(undefined) };
}

const serving = (cluster: SimulatedCluster, name: string): Pod | undefined =>
  present(cluster).find(({ metadata }) => metadata.name === name);

/** Whether the first member has all data when the last one goes. */
async function hasDataWhenLastGoes(cluster: SimulatedCluster): Promise<boolean> {
  await cluster.run({ until: () => serving(cluster, 'orders-2') === undefined, maxVirtualMs: 120_000 });
  const first = serving(cluster, 'orders-0');
  return first !== undefined && hasData(cluster, first);
}

test.each([
  ['an upgrade', { version: '2.0' }],
  ['a reduction', { replicas: 2 }],
])('%s that is being written when a drain takes a member releases none beside it', async (_what, spec) => {
  const { cluster, late, arrive } = await whileWritten(spec);
  // The write arrives when the gate has answered, and before the member is deleted.
  late.answered = async () => {
    arrive();
    await new Promise<void>((resolve) => cluster.clock.after(100, () => resolve()));
  };
  expect(await go(cluster, 'delete', 'orders-0')).toBeUndefined();
  late.answered = () => Promise.resolve();
  expect(await hasDataWhenLastGoes(cluster)).toBe(true);
});

test('an upgrade that has not seen a drained member go waits until its replacement has all data', async () => {
  const { cluster, arrive } = await whileWritten({ version: '2.0' });
  expect(await go(cluster, 'delete', 'orders-0')).toBeUndefined();
  await cluster.run({ until: () => serving(cluster, 'orders-0') === undefined, maxVirtualMs: 60_000 });
  await untilAllServe(cluster);
  arrive();
  expect(await hasDataWhenLastGoes(cluster)).toBe(true);
});

test('members that go on to a third version, and can’t be held one by one, wait until the one before has all data', async () => {
  const { cluster } = await world({ port: 6379, upgrade: { sync: guards.sync } });
  allHaveData(cluster);
  await change(cluster, { version: '2.0' });
  await cluster.run({
    until: () => images(cluster)[1] === '2.0' && present(cluster).length === 3,
    maxVirtualMs: 600_000,
  });
  await cluster.run({ until: () => present(cluster).every((pod) => hasData(cluster, pod)), maxVirtualMs: 18_500 });
  await change(cluster, { version: '3.0' });
  await cluster.run({
    until: () => images(cluster)[2] === '3.0' && present(cluster).length === 3,
    maxVirtualMs: 600_000,
  });
  await cluster.run({ until: () => serving(cluster, 'orders-1') === undefined, maxVirtualMs: 600_000 });
  const last = serving(cluster, 'orders-2');
  expect(images(cluster)).toEqual(['1.0', '2.0', '3.0']);
  expect(last && hasData(cluster, last)).toBe(true);
});
