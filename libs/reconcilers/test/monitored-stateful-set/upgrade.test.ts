import { pods, statefulSets } from '@ordinal/client';
import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { conditionOf } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

type Upgrade = NonNullable<MonitoredStatefulSetInput['spec']['upgrade']>;

/** A world in which version 3 does not get ready. */
async function world(): Promise<SetWorld> {
  const made = await setWorld(1, honest);
  made.cluster.image('app:3', { startsIn: 3_000, ready: false });
  return made;
}

function setOf(upgrade: Upgrade | undefined, workload: object = {}): MonitoredStatefulSetInput {
  const { spec, ...rest } = monitoredSet('db');
  const statefulSetSpec = { ...spec.statefulSetSpec, replicas: 3, ...workload };
  return { ...rest, spec: { ...spec, statefulSetSpec, ...(upgrade && { upgrade }) } };
}

const gated: Upgrade = { gates: [{ name: 'in-step', target: 'All', http: { path: '/', port: 80 } }] };

const sets = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const patch = (made: SetWorld, spec: object) => sets(made).patch('db', { type: 'merge', body: { spec } });

const template = (image: string): MonitoredStatefulSetInput['spec']['statefulSetSpec']['template'] => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'app', image }] },
});

const to = (made: SetWorld, image: string) => patch(made, { statefulSetSpec: { template: template(image) } });

const members = ({ cluster }: SetWorld) =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'db')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const images = (made: SetWorld) => members(made).map(({ spec }) => spec.containers[0]?.image);

const reasonOf = (set: MonitoredStatefulSet | undefined, type: string) =>
  conditionOf(set?.status?.conditions, type)?.reason;

async function created(upgrade: Upgrade | undefined, workload: object = {}): Promise<SetWorld> {
  const made = await world();
  await sets(made).create(setOf(upgrade, workload));
  await made.cluster.run({ maxVirtualMs: 60_000 });
  return made;
}

const uids = (made: SetWorld) => members(made).map(({ metadata }) => metadata.uid);

describe.each([
  ['in order', {}],
  ['in parallel', { podManagementPolicy: 'Parallel' }],
])('an upgrade of a set that makes its pods %s', (_how, workload) => {
  test('replaces one pod at a time, each when its gate is open, and is recorded', async () => {
    const made = await created(gated, workload);
    expect(setNow(made.cluster, 'db')?.status).toMatchObject({ currentVersion: 'app:1', readyReplicas: 3 });
    made.gate.isOpen = false;
    const before = uids(made);
    await to(made, 'app:2');
    await made.cluster.run({ maxVirtualMs: 60_000 });
    expect(uids(made)).toEqual(before);
    expect(setNow(made.cluster, 'db')?.status?.upgrade).toMatchObject({ step: 'AwaitingGate', pod: 'db-2' });
    made.gate.isOpen = true;
    await made.cluster.run({ maxVirtualMs: 120_000 });
    expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
    const { status } = setNow(made.cluster, 'db') ?? {};
    expect(status).toMatchObject({ currentVersion: 'app:2', updatedReplicas: 3 });
    expect(status?.upgrade).toBeUndefined();
    expect(made.events.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['UpgradeStarted', 'TakingDown', 'UpgradeCompleted']),
    );
  });

  test('that fails goes back to what ran, also past a pod that is not ready', async () => {
    const made = await created({ ...gated, progressDeadline: '2m', onFailure: 'Rollback' }, workload);
    await to(made, 'app:3');
    await made.cluster.run({ maxVirtualMs: 100_000 });
    expect(images(made)).toEqual(['app:1', 'app:1', 'app:3']);
    await made.cluster.run({ maxVirtualMs: 300_000 });
    expect(images(made)).toEqual(['app:1', 'app:1', 'app:1']);
    const set = setNow(made.cluster, 'db');
    expect(set?.status?.failure).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
    expect(reasonOf(set, 'Degraded')).toBe('UpgradeFailed');
    expect(made.events.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['UpgradeFailed', 'RollingBack', 'RolledBack']),
    );
  });

  test('that fails and is to stop stays as it is, and a pod that is lost comes back as what ran', async () => {
    const made = await created({ ...gated, progressDeadline: '2m' }, workload);
    await to(made, 'app:3');
    await made.cluster.run({ maxVirtualMs: 400_000 });
    expect(images(made)).toEqual(['app:1', 'app:1', 'app:3']);
    const { message } = conditionOf(setNow(made.cluster, 'db')?.status?.conditions, 'Progressing') ?? {};
    const isOrdered = !('podManagementPolicy' in workload);
    expect(message).toMatch(
      isOrdered
        ? / one that is lost comes back as app:1, once all members below it are ready$/
        : / one that is lost comes back as app:1$/,
    );
    await made.cluster.client()(pods).namespace('team').delete('db-1');
    await made.cluster.run({ maxVirtualMs: 60_000 });
    expect(images(made)).toEqual(['app:1', 'app:1', 'app:3']);
  });

  test('a smaller set loses its pods one at a time, each when its gate is open', async () => {
    const made = await created(gated, workload);
    made.gate.isOpen = false;
    await patch(made, { statefulSetSpec: { replicas: 1 } });
    await made.cluster.run({ maxVirtualMs: 60_000 });
    expect(members(made)).toHaveLength(3);
    made.gate.isOpen = true;
    await made.cluster.run({ maxVirtualMs: 120_000 });
    expect(members(made)).toHaveLength(1);
    expect(reasonOf(setNow(made.cluster, 'db'), 'Ready')).toBe('Running');
  });
});

test('no pod restarts when spec.upgrade comes to a set that runs, and the next upgrade can go back', async () => {
  const made = await created(undefined);
  const before = uids(made);
  await patch(made, { upgrade: { ...gated, progressDeadline: '2m', onFailure: 'Rollback' } });
  await made.cluster.run({ maxVirtualMs: 60_000 });
  expect(uids(made)).toEqual(before);
  const [statefulSet] = made.cluster.objects.list(statefulSets, 'team');
  expect(statefulSet?.spec.updateStrategy).toEqual({ type: 'OnDelete' });
  await to(made, 'app:3');
  await made.cluster.run({ maxVirtualMs: 400_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:1']);
});

test('without spec.upgrade the StatefulSet replaces its pods as its own strategy says', async () => {
  const made = await created({ ...gated });
  await patch(made, { upgrade: null });
  made.gate.isOpen = false;
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
  const { status } = setNow(made.cluster, 'db') ?? {};
  expect(status?.currentVersion).toBeUndefined();
  expect(status?.upgrade).toBeUndefined();
});

test('a pod counts when it has been ready for minReadySeconds', async () => {
  const made = await created({}, { minReadySeconds: 60, podManagementPolicy: 'Parallel' });
  await made.cluster.run({ maxVirtualMs: 60_000 });
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 50_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:2']);
  await made.cluster.run({ maxVirtualMs: 240_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('a Job comes before the first pod; one that fails is reported, and the upgrade goes on when it is corrected', async () => {
  const job = (deadline: string) => ({
    beforeFirstPod: { image: 'cleanup:1', command: ['migrate'], retries: 0, deadline },
  });
  const made = await created(job('10m'));
  made.cleanup.isBroken = true;
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 60_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:1']);
  expect(setNow(made.cluster, 'db')?.status?.failure).toMatchObject({ reason: 'HookFailed' });
  expect(made.events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['JobFailed', 'UpgradeFailed']));
  made.cleanup.isBroken = false;
  await patch(made, { upgrade: job('9m') });
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('a canary bakes, is analyzed and waits for its promotion; the annotation ends the upgrade, and pods go back', async () => {
  const canary = {
    replicas: 1,
    bake: '20s',
    analysis: { http: { path: '/', port: 80 } },
    promotion: 'Manual',
  } as const;
  const made = await created({ canary, onFailure: 'Rollback' });
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:2']);
  const upgrade = setNow(made.cluster, 'db')?.status?.upgrade;
  expect(upgrade).toMatchObject({
    step: 'AwaitingPromotion',
    release: expect.stringContaining(' mss db ordinal.dev/promote='),
  });
  const annotations = { 'ordinal.dev/abort': upgrade?.revision };
  await sets(made).patch('db', { type: 'merge', body: { metadata: { annotations } } });
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:1']);
  expect(setNow(made.cluster, 'db')?.status?.failure).toMatchObject({ reason: 'Aborted' });
});

test.each([
  ['the operator', gated],
  ['the StatefulSet’s controller', undefined],
])('a set whose pods %s replaces is not Ready before that has begun', async (_who, upgrade) => {
  const made = await created(upgrade);
  const isReady = () => conditionOf(setNow(made.cluster, 'db')?.status?.conditions, 'Ready')?.status === 'True';
  expect(isReady()).toBe(true);
  await to(made, 'app:2');
  const generation = setNow(made.cluster, 'db')?.metadata.generation;
  const early: string[] = [];
  made.cluster.server.store.subscribe(() => {
    const isLooked = setNow(made.cluster, 'db')?.status?.observedGeneration === generation;
    if (isLooked && isReady() && images(made).some((image) => image !== 'app:2')) early.push(images(made).join());
  });
  await made.cluster.run({ maxVirtualMs: 180_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
  expect([early, isReady()]).toEqual([[], true]);
});

test('a pause holds the pods for as long as it lasts, and does not make the upgrade late', async () => {
  const made = await created({ ...gated, progressDeadline: '2m', paused: true });
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 600_000 });
  expect(images(made)).toEqual(['app:1', 'app:1', 'app:1']);
  expect(setNow(made.cluster, 'db')?.status?.upgrade).toMatchObject({ step: 'Paused' });
  expect(setNow(made.cluster, 'db')?.status?.failure).toBeUndefined();
  await patch(made, { upgrade: { paused: false } });
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('a failed upgrade is tried again when a user asks', async () => {
  const made = await created({ ...gated, progressDeadline: '2m' });
  made.gate.isOpen = false;
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 180_000 });
  expect(setNow(made.cluster, 'db')?.status?.failure).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
  made.gate.isOpen = true;
  const annotations = { 'ordinal.dev/retry': '1' };
  await sets(made).patch('db', { type: 'merge', body: { metadata: { annotations } } });
  await made.cluster.run({ maxVirtualMs: 120_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('a check that can’t be run is reported', async () => {
  const made = await created({ gates: [{ name: 'lag', target: 'Self', exec: { command: ['lag'] } }] });
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 60_000 });
  const set = setNow(made.cluster, 'db');
  expect(set?.status?.upgrade).toMatchObject({ step: 'AwaitingGate', release: expect.stringContaining('open-gates=') });
});

test('a status that another client has emptied restarts no pod, and what ran is known again', async () => {
  const made = await created({ ...gated, progressDeadline: '2m', onFailure: 'Rollback' });
  const before = uids(made);
  await sets(made).status.patch('db', { type: 'merge', body: { status: { currentRevision: null, revisions: null } } });
  await made.cluster.run({ maxVirtualMs: 60_000 });
  expect(uids(made)).toEqual(before);
  expect(setNow(made.cluster, 'db')?.status).toMatchObject({ currentVersion: 'app:1' });
});

test('an immutable field that changes keeps what is known of upgrades, and the deadline goes on', async () => {
  const made = await created({ ...gated, progressDeadline: '2m' });
  made.gate.isOpen = false;
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 30_000 });
  await patch(made, { statefulSetSpec: { serviceName: 'other' } });
  await made.cluster.run({ maxVirtualMs: 30_000 });
  expect(reasonOf(setNow(made.cluster, 'db'), 'Degraded')).toBe('ImmutableFieldChanged');
  expect(setNow(made.cluster, 'db')?.status).toMatchObject({
    currentVersion: 'app:1',
    upgrade: { step: 'AwaitingGate' },
  });
  await made.cluster.run({ maxVirtualMs: 900_000 });
  expect(setNow(made.cluster, 'db')?.status).toMatchObject({ failure: { reason: 'ProgressDeadlineExceeded' } });
});

test('a canary bakes no longer because the clock is set back', async () => {
  const made = await created({ canary: { replicas: 1, bake: '2m' } });
  await to(made, 'app:2');
  await made.cluster.run({ maxVirtualMs: 60_000 });
  expect(setNow(made.cluster, 'db')?.status?.upgrade).toMatchObject({ step: 'Baking' });
  made.operator.skewClock(-3_600_000);
  await made.cluster.run({ maxVirtualMs: 300_000 });
  expect(images(made)).toEqual(['app:2', 'app:2', 'app:2']);
});

test.each([
  ['in order', {}],
  ['in parallel', { podManagementPolicy: 'Parallel' }],
] as const)(
  'where members are made %s and two may be unavailable, two are replaced at a time',
  async (_how, workload) => {
    const made = await created({ ...gated, maxUnavailable: 2 }, { ...workload, replicas: 5 });
    const downs: number[] = [];
    const serves = ({ metadata, status }: ReturnType<typeof members>[number]): boolean =>
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
    made.cluster.server.store.subscribe(({ kind }) => {
      if (kind === 'pods') downs.push(5 - members(made).filter(serves).length);
    });
    await to(made, 'app:2');
    await made.cluster.run({ maxVirtualMs: 600_000 });
    expect(images(made)).toEqual(Array(5).fill('app:2'));
    expect(Math.max(...downs)).toBe(2);
    expect(setNow(made.cluster, 'db')?.status?.upgrade).toBeUndefined();
  },
);
