import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError, type Pod } from '@ordinal/client';
import { reviews, unfinishedBodies } from './world/flood.ts';
import { startWorld, type World } from './world/world.ts';

// The API server lets an eviction through where the webhook does not answer (failurePolicy: Ignore). Whoever keeps the listener from answering has members go past their closed gate.

let world: World;
const namespace = 'gated';
const name = 'sessions';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const merge = { 'content-type': 'application/merge-patch+json' };
const now = '2026-01-01T00:00:00Z';

beforeAll(async () => {
  world = await startWorld({ heapMiB: 384 });
  await world.allow('drainer', namespace, [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }]);
  await world.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
  await world.apply({
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name, namespace },
    spec: {
      ...{ replicas: 2, image: 'cache:1' },
      upgrade: { gates: [{ name: 'never', target: 'Self', exec: { command: ['/bin/never'] }, timeout: '2s' }] },
    },
  });
  for (const member of [`${name}-0`, `${name}-1`]) await untilReady(member);
});

afterAll(() => world.stop());

const find = async (member: string): Promise<Pod | undefined> =>
  (await world.admin.request('GET', `${pods}/${member}`).catch(() => undefined)) as Pod | undefined; // What is at that path.

/** Resolves when a member serves. There is no kubelet at a real control plane that would say so. */
async function untilReady(member: string): Promise<void> {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: now };
  const body = { status: { phase: 'Running', conditions: [condition] } };
  const deadline = performance.now() + 90_000;
  while (performance.now() < deadline) {
    const pod = await find(member);
    if (pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    if (pod && world.plane.kind === 'real')
      await world.admin.request('PATCH', `${pods}/${member}/status`, { body, headers: merge });
    await pause(200);
  }
  throw new Error(`${member} does not come: ${world.operator.log}`);
}

/** What the API server answers to an eviction, as a drain asks for it. */
async function evict(member: string): Promise<{ readonly code: number; readonly message: string }> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: member, namespace } };
  try {
    await world.as('drainer').request('POST', `${pods}/${member}/eviction`, { body });
    return { code: 201, message: '' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.status.code ?? 0, message: error.message };
  }
}

/** Evicts a member again and again while it lasts, and once more; what was answered, with how often. */
async function evictedDuring(attack: Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const answers: Record<string, number> = {};
  let isOver = false;
  const over = attack.finally(() => (isOver = true));
  for (let isLast = false; !isLast;) {
    isLast = isOver;
    const { code, message } = await evict(`${name}-1`);
    const answer =
      code === 429 && message.includes('may not go down yet') ? 'refused by the gate' : `${code} ${message}`;
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
  await over;
  return answers;
}

const eviction = {
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  ...{ subResource: 'eviction', operation: 'CREATE', namespace, name: `${name}-1` },
  object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: `${name}-1`, namespace } },
};
const port = (): number => world.plane.ports.webhooks;

test.each([
  ['nothing', () => Promise.resolve()],
  ['70 unfinished bodies', () => unfinishedBodies(port(), '/disruption', { count: 70, length: 100 })],
  ['1,005 unfinished bodies', () => unfinishedBodies(port(), '/disruption', { count: 1005, length: 100 })],
  ['100 unfinished bodies of 7.9 MB', () => unfinishedBodies(port(), '/disruption', { count: 100, length: 7_900_000 })],
  ['700 reviews at a time', () => reviews(port(), '/disruption', { count: 700, request: eviction })],
])('beside %s an eviction past a closed gate is refused by the gate, with 429', async (what, attack) => {
  const before = await find(`${name}-1`);
  const answers = await evictedDuring(attack());
  console.log(`beside ${what}: ${JSON.stringify(answers)}`);
  expect(Object.keys(answers)).toEqual(['refused by the gate']);
  const after = await find(`${name}-1`);
  expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid });
  expect(after?.metadata.deletionTimestamp).toBeUndefined();
});
