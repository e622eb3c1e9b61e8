import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import type { DatabaseScenario } from './database-steps.ts';
import { create as createDatabase, name, ready, remove as removeDatabase } from './database-steps.ts';
import { databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { create, registered, remove } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { endpoints, setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

/** How often a user writes a status in the life of one object, and how long they wait at most, in milliseconds: now within a reconcile, now after all is quiet. */
const times = 8;
const longestPausesMs = [50, 1_500, 20_000, 120_000] as const;

/** A user writes one status after the other, at times and in an order that the history's own `random` decides. A status of an object that is gone is refused. */
async function forgeAtTimes(
  cluster: SimulatedCluster,
  write: (status: object | null) => Promise<unknown>,
  lies: () => readonly (object | null)[],
): Promise<void> {
  const chosen = <T>(of: readonly T[]): T | undefined => of[Math.floor(cluster.random() * of.length)];
  for (let time = 0; time < times; time += 1) {
    await cluster.advance(Math.floor(cluster.random() * (chosen(longestPausesMs) ?? 0)) + 1);
    await write(chosen([null, ...lies()]) ?? null).catch(() => undefined);
  }
}

/** Lives of databases that a forged status calls another owner's, which leads to their deletion where it is believed. */
export const forgedDatabases: readonly DatabaseScenario[] = [
  {
    name: 'created, deleted, while a user forges the status',
    // Another's stays.
    left: 1,
    isForged: true,
    async run(world) {
      const { cluster, provider } = world;
      const legacy = provider.keep({ displayName: 'legacy', size: 'small' });
      const write = (status: object | null) =>
        cluster.client()(cloudDatabases).namespace('default').status.patch(name, { type: 'merge', body: { status } });
      const lies = () => {
        const { metadata, status } = databaseNow(cluster, name) ?? {};
        const token = `${metadata?.uid ?? ''}-1`;
        const external = { id: legacy.id, account: 'test', imported: true, incarnation: 1, token };
        return [
          { instanceId: legacy.id, external },
          { external: { incarnation: 7, token: `${metadata?.uid ?? ''}-7` } },
          { ...status, external: null },
          { ...status, seal: 'A'.repeat(43) },
        ];
      };
      await createDatabase(world, { deletionPolicy: 'Delete', size: 'large' });
      await forgeAtTimes(cluster, write, lies);
      await ready(world);
      await cluster.client()(cloudDatabases).namespace('default').delete(name);
      await forgeAtTimes(cluster, write, lies);
      if (databaseNow(cluster, name) !== undefined) await removeDatabase(world);
      if (!provider.present().includes(legacy) || legacy.fields['size'] !== 'small')
        throw new Standstill('the database of another was changed or deleted');
    },
  },
];

/** Lives of sets that a forged status calls registered where they never were. */
export const forgedSets: readonly SetScenario[] = [
  {
    name: 'created, registered, deleted, while a user forges the status',
    left: 0,
    isForged: true,
    async run(world) {
      const { cluster, door } = world;
      const write = (status: object | null) =>
        cluster
          .client()(monitoredStatefulSets)
          .namespace('team')
          .status.patch('db', { type: 'merge', body: { status } });
      const lies = () => {
        const { metadata, status } = setNow(cluster, 'db') ?? {};
        const token = `${metadata?.uid ?? ''}-1`;
        const entry = { endpoint: endpoints[1], incarnation: 1, id: 't1', token };
        return [
          { registrations: [entry] },
          {
            registrations: [...(status?.registrations ?? []), { ...entry, createAttemptedAt: '2026-01-01T00:00:00Z' }],
          },
          { ...status, registrations: null },
          { ...status, seal: 'A'.repeat(43) },
        ];
      };
      await create(world);
      await forgeAtTimes(cluster, write, lies);
      await registered(world);
      await cluster.client()(monitoredStatefulSets).namespace('team').delete('db');
      await forgeAtTimes(cluster, write, lies);
      if (setNow(cluster, 'db') !== undefined) await remove(world);
      if (door.shown.some(({ endpoint }) => endpoint === endpoints[1]))
        throw new Standstill(`${endpoints[1]} was called, which never stood in the spec`);
    },
  },
];
