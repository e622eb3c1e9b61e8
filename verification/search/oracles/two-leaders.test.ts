import { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, expect, test } from 'vitest';
import { goesOn, isOvertaken } from './two-leaders.ts';

const subject = 'statefulsets default/orders';
const user = (name: string): string => `system:serviceaccount:operators:${name}`;

const clusters: SimulatedCluster[] = [];
afterEach(() => clusters.splice(0).forEach((cluster) => cluster.stop()));

/** Two lead: the operator has been suspended for ten seconds, and its twin has begun. */
async function led() {
  const cluster = await SimulatedCluster.start({ seed: 1 });
  clusters.push(cluster);
  const add = (actor: string, action: string, outcome?: string): void =>
    cluster.trace.add({ at: cluster.clock.now(), actor, action, subject, ...(outcome && { outcome }) });
  add('operator operator', 'pause', '10000 ms');
  add('operator operator-twin', 'start');
  return { cluster, add };
}

test('one that is suspended goes on with what it had decided for a second, and the other one never does', async () => {
  const { cluster } = await led();
  const seen: unknown[] = [];
  for (const ms of [9000, 1500, 1000]) {
    await cluster.advance(ms);
    seen.push([goesOn(cluster, user('operator')), goesOn(cluster, user('operator-twin'))]);
  }
  expect(seen).toEqual([
    [false, false],
    [true, false],
    [false, false],
  ]);
});

test('one is overtaken by what the other has written since it looked, and by nothing else', async () => {
  const { cluster, add } = await led();
  await cluster.advance(30_000);
  const overtaken = () => ['operator', 'operator-twin'].map((name) => isOvertaken(cluster, user(name), subject));
  expect(overtaken()).toEqual([false, false]);
  add('operator-twin', 'apply', '409 Conflict');
  add('kubernetes-admin', 'apply');
  expect(overtaken()).toEqual([false, false]);
  add('operator-twin', 'apply');
  expect(overtaken()).toEqual([true, false]);
  await cluster.advance(60);
  expect(overtaken()).toEqual([false, false]);
});

test('an operator that leads alone is not overtaken', async () => {
  const { cluster, add } = await led();
  add('operator operator-twin', 'crash');
  add('operator-twin', 'apply');
  expect(isOvertaken(cluster, user('operator'), subject)).toBe(false);
});
