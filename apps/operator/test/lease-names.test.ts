import { createClient, leases } from '@ordinal/client';
import { leaseNamesOf, workSlots } from '@ordinal/constructs';
import { createManager } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';

test.each([false, true])('the leases that a role names are those that are held; shareWork: %s', async (shareWork) => {
  const cluster = await SimulatedCluster.start({ nodes: 0, events: false });
  const slots = shareWork ? workSlots : 1;
  cluster.operator('ordinal', ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random });
    const leaderElection = { namespace: 'default', name: 'blue', slots };
    const manager = createManager({ client, clock, random, name: 'test/operator', identity, leaderElection });
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  });
  await cluster.advance(20_000);
  const held = cluster.objects.list(leases, 'default').map(({ metadata }) => metadata.name);
  expect(held.toSorted()).toEqual([...leaseNamesOf('blue', shareWork)].toSorted());
  cluster.stop();
});
