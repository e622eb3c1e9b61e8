import { monitoredStatefulSets } from '@ordinal/api';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

// The conditions distinguish what may go away by itself from what waits for a user.
test.each([
  ['is away for a while', 503, 'Unavailable'],
  ['does not know the credentials', 401, 'Unauthorized'],
  ['refuses for good', 400, 'Refused'],
])('a monitor that %s (%i): the condition says %s', async (_what, status, code) => {
  const { cluster, providers } = await setWorld(1, honest);
  providers[0].refused.set('POST', status);
  await cluster.client()(monitoredStatefulSets).namespace('team').create(monitoredSet('db'));
  const registered = () => setNow(cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'MonitorRegistered');
  await cluster.run({ until: () => registered()?.reason === 'RegistrationFailed', maxVirtualMs: 600_000 });
  expect(registered()).toMatchObject({ status: 'False', message: expect.stringContaining(`: ${code}: `) });
  cluster.stop();
});
