import type { CloudDatabase } from '@ordinal/api';
import { afterRestores } from './after-restores.ts';
import { accountScenarios } from './database-account-scenarios.ts';
import { policyScenarios } from './database-policy-scenarios.ts';
import { rotationScenarios } from './database-rotation-scenarios.ts';
import type { DatabaseScenario } from './database-steps.ts';
import {
  connection,
  create,
  name,
  reach,
  ready,
  remove,
  reported,
  resource,
  secretsOf,
  until,
  works,
} from './database-steps.ts';
import { failureScenarios } from './database-failure-scenarios.ts';
import { database, databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import { refusedDatabase } from './refused-write-scenarios.ts';
import { forgedDatabases } from './forged-scenarios.ts';

/** Deletes shortly after the creation, while the operator is in the middle of it. */
const hasty = (afterMs: number): DatabaseScenario => ({
  name: `deleted ${afterMs} ms after its creation`,
  left: 0,
  async run(world) {
    await create(world);
    await world.cluster.advance(afterMs);
    await remove(world);
  },
});

/** The life of a CloudDatabase, in its variants. Faults are injected from outside. */
export const databaseScenarios: readonly DatabaseScenario[] = [
  {
    name: 'created, resized, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await ready(world);
      await resource(world).patch(name, { type: 'merge', body: { spec: { size: 'large' } } });
      await reach(world, 'the new size', () => world.provider.present().at(-1)?.fields['size'] === 'large');
      await works(world);
      await remove(world);
    },
  },
  hasty(10),
  hasty(40),
  hasty(1_500),
  {
    name: 'vanished outside, made again, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await ready(world);
      const owner = databaseNow(world.cluster, name)?.metadata.uid ?? '';
      world.provider.lose(owner);
      await reach(world, 'another database', () => world.provider.of(owner).length > 0);
      await remove(world);
    },
  },
  {
    name: 'its provider down for three minutes, its Secret gone, deleted',
    left: 0,
    async run(world) {
      await create(world);
      world.provider.outage = 503;
      await world.cluster.advance(180_000);
      reported(world);
      world.provider.outage = undefined;
      await ready(world);
      await secretsOf(world).delete(connection);
      await works(world);
      await remove(world);
    },
  },
  {
    name: 'deleted, and held up by another client',
    left: 0,
    async run(world) {
      const held = database(name);
      await resource(world).create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
      await ready(world);
      await resource(world).delete(name);
      const more = await afterRestores(world.cluster, async () => {
        const isOver = ({ deletionTimestamp, finalizers }: CloudDatabase['metadata']): boolean =>
          deletionTimestamp !== undefined && finalizers?.length === 1;
        await until(world, 'the end of our finalizer', (object) => object !== undefined && isOver(object.metadata));
        const { writes } = world.operator;
        await world.cluster.advance(600_000);
        return world.operator.writes - writes;
      });
      // One is what a reply that was lost may lead to.
      if (more > 1) throw new Standstill(`${more} writes although nothing is left to do`);
      await resource(world).patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });
      await until(world, 'the end', (object) => object === undefined);
    },
  },
  {
    name: 'retained',
    left: 1,
    async run(world) {
      await create(world, { deletionPolicy: 'Retain' });
      await ready(world);
      await remove(world);
    },
  },
  ...policyScenarios,
  ...failureScenarios,
  ...accountScenarios,
  ...forgedDatabases,
  refusedDatabase,
  ...rotationScenarios,
];
