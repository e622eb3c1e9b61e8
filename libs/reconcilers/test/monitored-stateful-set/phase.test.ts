import { monitoredStatefulSets } from '@ordinal/api';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';
import { contradictionsIn, shortOf } from '../world/phase-and-conditions.ts';

test('a set that is registered stays Registered and Ready while its monitor refuses to be asked', async () => {
  const { cluster, providers } = await setWorld(1, honest);
  const statusNow = () => setNow(cluster, 'db')?.status;
  await cluster.client()(monitoredStatefulSets).namespace('team').create(monitoredSet('db'));
  const isReady = (): boolean =>
    statusNow()?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  await cluster.run({ until: isReady, maxVirtualMs: 900_000 });
  for (const provider of providers) provider.outage = 400;
  await cluster.advance(1_200_000);
  expect(contradictionsIn('MonitoredStatefulSet', statusNow())).toEqual([]);
  expect(shortOf(statusNow())).toEqual([
    'Registered',
    'Ready=True Running',
    'Progressing=False Settled',
    'Degraded=True MonitorUnreachable',
    'MonitorRegistered=True MonitorUnreachable',
  ]);
  cluster.stop();
});
