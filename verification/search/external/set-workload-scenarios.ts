import { jobs, statefulSets } from '@ordinal/client';
import { afterRestores } from './after-restores.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import {
  create,
  move,
  reach,
  registered,
  remove,
  resource,
  settled,
  until,
} from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { endpoints, setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

const workload = ({ cluster }: SetWorld) => cluster.client()(statefulSets).namespace('team');

const workloadNow = ({ cluster }: SetWorld) => cluster.objects.find(statefulSets, 'team', 'db');

const problem = ({ cluster }: SetWorld) =>
  setNow(cluster, 'db')?.status?.conditions?.find(({ type, status }) => type === 'Degraded' && status === 'True');

/** How often the operator has tried to apply the StatefulSet. */
const attempts = ({ cluster, operator }: SetWorld): number =>
  cluster.trace.entries.filter(
    ({ actor, action, subject }) =>
      actor === operator.name && action === 'apply' && subject.startsWith('statefulsets '),
  ).length;

/** What others do to the workload and to the monitors of a set, and how it is cleaned up. */
export const workloadScenarios: readonly SetScenario[] = [
  {
    name: 'registered, its monitor refuses to be asked for twenty minutes, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await settled(world);
      const [provider] = world.providers;
      provider.outage = 400;
      await world.cluster.advance(1_200_000);
      provider.outage = undefined;
      await settled(world);
      await remove(world);
    },
  },
  {
    name: 'changed and deleted below by another client, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await settled(world);
      await workload(world).patch('db', { type: 'merge', body: { spec: { replicas: 3 } } });
      await reach(world, 'the number of replicas that the spec has', () => workloadNow(world)?.spec.replicas === 2);
      const { uid } = workloadNow(world)?.metadata ?? {};
      await workload(world).delete('db');
      await reach(world, 'another StatefulSet', () => {
        const { uid: now = uid } = workloadNow(world)?.metadata ?? {};
        return now !== uid;
      });
      await settled(world);
      await remove(world);
    },
  },
  {
    name: 'changed where it can not be, put right, deleted',
    left: 0,
    async run(world) {
      const named = (serviceName: string): Promise<unknown> =>
        resource(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: { serviceName } } } });
      await create(world);
      await settled(world);
      await named('other');
      // A restore of etcd may have taken the StatefulSet away: one that is made again has the new name.
      const isNew = (): boolean => workloadNow(world)?.spec.serviceName === 'other';
      const isReported = (): boolean => problem(world)?.message.includes('serviceName') === true;
      await reach(world, 'a word about serviceName', () => isReported() || isNew());
      const before = attempts(world);
      await world.cluster.advance(600_000);
      const more = attempts(world) - before;
      // As many as replies that were lost may lead to.
      if (more > 2) throw new Standstill(`the StatefulSet was applied ${more} times although only a person can help`);
      await named(workloadNow(world)?.spec.serviceName ?? 'db');
      await settled(world);
      await remove(world);
    },
  },
  {
    name: 'moved to a monitor that registers no set for two minutes, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await registered(world);
      world.providers[1].refused.set('POST', 503);
      await move(world, endpoints[1]);
      await world.cluster.advance(120_000);
      world.providers[1].refused.clear();
      await reach(world, 'the end of the migration', () => world.providers[0].present().length === 0);
      await until(world, 'one entry', (set) => set?.status?.registrations?.length === 1);
      await remove(world);
    },
  },
  {
    name: 'refused by its monitor for a while, when it is registered and when it goes',
    left: 0,
    async run(world) {
      const [provider] = world.providers;
      provider.refused.set('POST', 422);
      await create(world);
      await world.cluster.advance(150_000);
      provider.refused.set('POST', 500);
      await world.cluster.advance(900_000);
      provider.refused.clear();
      await registered(world);
      provider.refused.set('DELETE', 401);
      await resource(world).delete('db');
      await world.cluster.advance(150_000);
      provider.refused.clear();
      await until(world, 'the end', (set) => set === undefined);
    },
  },
  {
    name: 'deleted after a clean-up Job that fails at first',
    left: 0,
    async run(world) {
      world.cleanup.isBroken = true;
      await create(world, { cleanup: 'Job', cleanupJob: { image: 'cleanup:1' } });
      await registered(world);
      await resource(world).delete('db');
      // A restored etcd may have it without our finalizer: then it is gone at once, and no Job runs.
      await until(
        world,
        'the failure of the Job',
        (set) => set === undefined || set.status?.cleanupTask?.result === 'Failed',
      );
      world.cleanup.isBroken = false;
      await afterRestores(world.cluster, async () => {
        await until(world, 'the end', (set) => set === undefined);
        await world.cluster.advance(5_000);
      });
      const remaining = world.cluster.objects.list(jobs, 'team').map(({ metadata }) => metadata.name);
      if (remaining.length > 0) throw new Standstill(`the Job ${remaining.join(', ')} stays behind (I12)`);
    },
  },
];
