import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { statefulSets } from '@ordinal/client';
import type { StatefulSetInput } from '@ordinal/client';
import { expect, test } from 'vitest';
import { validateMonitoredStatefulSet } from '../../src/monitored-stateful-set/index.ts';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const resource = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const conditionNow = ({ cluster }: SetWorld, type: string) =>
  setNow(cluster, 'db')?.status?.conditions?.find((condition) => condition.type === type);

async function ready(world: SetWorld): Promise<void> {
  const status = () => conditionNow(world, 'Ready')?.status;
  await world.cluster.run({ until: () => status() === 'True', maxVirtualMs: 120_000 });
  expect(status()).toBe('True');
}

const workload = monitoredSet('db').spec.statefulSetSpec;

test('a StatefulSet of another owner is left alone, and its deletion is noticed', async () => {
  const world = await setWorld(1, honest);
  const { cluster } = world;
  const spec = { ...workload, replicas: 0 } as NonNullable<StatefulSetInput['spec']>;
  const foreign = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'team' },
    spec,
  } as const;
  await cluster.client()(statefulSets).namespace('team').create(foreign);
  await resource(world).create(monitoredSet('db'));
  await cluster.advance(30_000);
  expect(conditionNow(world, 'Degraded')).toMatchObject({ status: 'True', reason: 'NameTaken' });
  expect(cluster.objects.find(statefulSets, 'team', 'db')?.spec.replicas).toBe(0);
  await cluster.client()(statefulSets).namespace('team').delete('db');
  await ready(world);
  cluster.stop();
});

test('a spec that makes no sense came past the webhook: it is said, nothing is made, and put right it works', async () => {
  const world = await setWorld(1, honest);
  const statefulSetSpec = { ...workload, selector: { matchLabels: { app: 'other' } } };
  await resource(world).create(monitoredSet('db', { statefulSetSpec }));
  await world.cluster.advance(30_000);
  expect(setNow(world.cluster, 'db')?.status?.phase).toBe('Failed');
  expect(conditionNow(world, 'Degraded')).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
  expect(world.providers[0].calls).toEqual({});
  await resource(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: workload } } });
  await ready(world);
  world.cluster.stop();
});

test('what the API server refuses for good is said once, and tried again seldom', async () => {
  const world = await setWorld(1, honest);
  const { cluster, operator } = world;
  let refused = 0;
  let isRefusing = true;
  const refusal = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: 'a policy says no',
  } as const;
  operator.hook({
    before: ({ kind, target }) => {
      if (!isRefusing || kind !== 'write' || !target.includes('/apis/apps/v1/')) return undefined;
      refused += 1;
      return { refuse: refusal };
    },
  });
  await resource(world).create(monitoredSet('db'));
  await cluster.advance(60_000);
  const reported = conditionNow(world, 'Degraded');
  const message = expect.stringContaining('a policy says no') as string;
  expect(reported).toMatchObject({ status: 'True', reason: 'Refused', message });
  await cluster.advance(3_600_000);
  // The registration does not wait for the workload.
  expect(setNow(cluster, 'db')?.status?.externalMonitorID).toBe('t1');
  const before = { refused, writes: operator.writes };
  await cluster.advance(3_600_000);
  expect(refused - before.refused).toBeLessThanOrEqual(7);
  expect(operator.writes - before.writes).toBeLessThanOrEqual(7);
  expect(conditionNow(world, 'Degraded')).toEqual(reported);
  isRefusing = false;
  await cluster.advance(700_000);
  await ready(world);
  cluster.stop();
});

type Spec = Parameters<typeof validateMonitoredStatefulSet>[0]['spec'];
const labels = (app: string) => ({ ...workload.template, metadata: { labels: { app } } });
const expression = (operator: string, values?: string[]) => ({
  ...workload,
  selector: { matchExpressions: [{ key: 'app', operator, ...(values ? { values } : {}) }] },
});

test.each<[string, object, string[]]>([
  ['nothing but what is needed', {}, []],
  [
    'an endpoint with a password in it',
    { monitorEndpoint: 'https://user:secret@monitor.example' },
    ['spec.monitorEndpoint'],
  ],
  [
    'an endpoint with a query, which would be lost',
    { monitorEndpoint: 'https://monitor.example/?team=a' },
    ['spec.monitorEndpoint'],
  ],
  ['an endpoint that is no URL', { monitorEndpoint: 'https://:1:2' }, ['spec.monitorEndpoint']],
  [
    'pods without the labels',
    { statefulSetSpec: { ...workload, template: labels('other') } },
    ['spec.statefulSetSpec.template.metadata.labels'],
  ],
  ['a selector of everything', { statefulSetSpec: { ...workload, selector: {} } }, ['spec.statefulSetSpec.selector']],
  ['an expression that is met', { statefulSetSpec: expression('In', ['db', 'cache']) }, []],
  [
    'an expression that is not met',
    { statefulSetSpec: expression('DoesNotExist') },
    ['spec.statefulSetSpec.template.metadata.labels'],
  ],
  ['fewer than no replicas', { statefulSetSpec: { ...workload, replicas: -1 } }, ['spec.statefulSetSpec.replicas']],
  [
    'pods that end',
    {
      statefulSetSpec: {
        ...workload,
        template: { ...workload.template, spec: { containers: [], restartPolicy: 'Never' } },
      },
    },
    ['spec.statefulSetSpec.template.spec.restartPolicy'],
  ],
])('faults of %s', (_what, change, fields) => {
  const spec = { ...monitoredSet('db').spec, ...change } as unknown as Spec; // The read form has defaults that are not asked here.
  expect(validateMonitoredStatefulSet({ spec }).map(({ path }) => path)).toEqual(fields);
});

// Found by reading: such a set waited for ever for the end of its last pod.
test('the members of a set that the operator upgrades are counted from 0', () => {
  const statefulSetSpec = { ...workload, ordinals: { start: 1 } };
  const errors = (spec: object) =>
    validateMonitoredStatefulSet(monitoredSet('db', { statefulSetSpec, ...spec }) as MonitoredStatefulSet);
  expect(errors({ upgrade: {} })).toMatchObject([{ path: 'spec.statefulSetSpec.ordinals.start' }]);
  expect(errors({})).toEqual([]);
});
