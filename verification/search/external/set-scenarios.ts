import type { MonitoredStatefulSet } from '@ordinal/api';
import { namespaces } from '@ordinal/client';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import { afterRestores } from './after-restores.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import { forgedSets } from './forged-scenarios.ts';
import { adoptionScenario } from './set-adoption-scenario.ts';
import { crowdedScenario } from './set-crowded-scenario.ts';
import { rolloutScenarios } from './set-rollout-scenarios.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import {
  create,
  move,
  registered,
  remove,
  resource,
  until,
} from '../../../libs/reconcilers/test/external/set-steps.ts';
import { refusedSet } from './refused-write-scenarios.ts';
import { drainScenarios } from './set-drain-scenarios.ts';
import { upgradeScenarios } from './set-upgrade-scenarios.ts';
import { workloadScenarios } from './set-workload-scenarios.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { alias, endpoints, monitoredSet, setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

/** Whether the status asks for the deletion of all but one of several entries: a restore of etcd in the middle of a move has left both, and only one is recorded. */
const isAsked = ({ cluster }: SetWorld, set: MonitoredStatefulSet | undefined): boolean =>
  wasRestored(cluster) && set?.status?.conditions?.some(({ reason }) => reason === 'Ambiguous') === true;

/** The life of a MonitoredStatefulSet, in its variants. */
export const setScenarios: readonly SetScenario[] = [
  {
    name: 'created, registered, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      await remove(world);
    },
  },
  {
    name: 'deleted 30 ms after its creation',
    left: 0,
    async run(world) {
      await create(world);
      await world.cluster.advance(30);
      await remove(world);
    },
  },
  {
    name: 'moved to another monitor and back, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      await move(world, endpoints[1]);
      await world.cluster.advance(20_000);
      await move(world, endpoints[0]);
      await world.cluster.advance(20_000);
      await move(world, endpoints[1]);
      await until(world, 'the end of the migration', (set) => set?.status?.registrations?.length === 1);
      await remove(world);
    },
  },
  {
    name: 'moved to another URL of its monitor and back, deleted',
    left: 0,
    hasAlias: true,
    async run(world) {
      await create(world);
      await registered(world);
      for (const url of [alias, endpoints[0]]) {
        await move(world, url);
        const isAlone = (set: MonitoredStatefulSet | undefined): boolean =>
          set?.status?.registrations?.map(({ endpoint }) => endpoint).join() === url;
        await until(world, `nothing but ${url}`, (set) => isAlone(set) || isAsked(world, set));
        if (isAsked(world, setNow(world.cluster, 'db'))) world.providers[0].leaveFirst();
        await until(world, `nothing but ${url}`, isAlone);
        await world.cluster.advance(60_000);
      }
      await registered(world);
      await remove(world);
    },
  },
  {
    name: 'registered at a monitor without look-ups, moved to another one, deleted',
    left: 0,
    isBlind: true,
    async run(world) {
      await create(world);
      await registered(world);
      await move(world, endpoints[1]);
      const isRegistered = ({ endpoint, id }: { endpoint: string; id?: string }): boolean =>
        endpoint === endpoints[1] && id !== undefined;
      await until(world, 'the new entry', (set) => set?.status?.registrations?.some(isRegistered) === true);
      await world.cluster.advance(20_000);
      await move(world, alias);
      await world.cluster.advance(20_000);
      await remove(world);
    },
  },
  {
    name: 'moved away from a monitor that is down, deleted together with its namespace',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      world.providers[0].outage = 503;
      await move(world, endpoints[1]);
      await world.cluster.advance(60_000);
      await world.cluster.client()(namespaces).cluster().delete('team');
      await world.cluster.advance(30_000);
      world.providers[0].outage = undefined;
      await until(world, 'the end', (set) => set === undefined);
    },
  },
  {
    name: 'deleted, and held up by another client',
    left: 0,
    async run(world) {
      const held = monitoredSet('db');
      await resource(world).create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
      await registered(world);
      await resource(world).delete('db');
      const more = await afterRestores(world.cluster, async () => {
        const isOver = ({ deletionTimestamp, finalizers }: MonitoredStatefulSet['metadata']): boolean =>
          deletionTimestamp !== undefined && finalizers?.length === 1;
        await until(world, 'the end of our finalizer', (set) => set !== undefined && isOver(set.metadata));
        const { writes } = world.operator;
        await world.cluster.advance(600_000);
        return world.operator.writes - writes;
      });
      // One is what a reply that was lost may lead to.
      if (more > 1) throw new Standstill(`${more} writes although nothing is left to do`);
      await resource(world).patch('db', { type: 'merge', body: { metadata: { finalizers: null } } });
      await until(world, 'the end', (set) => set === undefined);
    },
  },
  {
    name: 'forgotten by its monitor, registered again, retained',
    left: 1,
    async run(world) {
      await create(world, { deletionPolicy: 'Retain' });
      await registered(world);
      const owner = setNow(world.cluster, 'db')?.metadata.uid ?? '';
      world.providers[0].lose(owner);
      await until(
        world,
        'another registration',
        (set) =>
          // How many there were may be lost in a restore of etcd.
          ((set?.status?.registrations?.[0]?.incarnation ?? 1) > 1 || wasRestored(world.cluster)) &&
          set?.status?.registrations?.[0]?.id !== undefined &&
          world.providers[0].of(owner).length > 0,
      );
      await remove(world);
    },
  },
  crowdedScenario,
  ...workloadScenarios,
  ...upgradeScenarios,
  adoptionScenario,
  ...rolloutScenarios,
  ...forgedSets,
  ...drainScenarios,
  refusedSet,
];
