import { clusteredCaches } from '@ordinal/api';
import { podDisruptionBudgets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { putService, servicesAreLeftAlone } from '../../../libs/reconcilers/test/world/bystander.ts';
import { everyFault } from '../faults/faults.ts';
import { asksFor, restartInThePast } from '../oracles/old-specs.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  caches,
  change,
  images,
  installImages,
  isSettled,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { everyPodIsAskedFor, jobGate } from './job-gated.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** The name that a cache with a port gives to the Service of its clients. */
const foreign = 'sessions-client';

/** How many members the budget allows to be deleted at a time. */
const budgetOf = (cluster: TestCluster): unknown =>
  cluster.objects.find(podDisruptionBudgets, 'default', 'sessions')?.spec?.maxUnavailable;

/** Of a history whose budget is changed once, to this: from then on no one puts it back. */
const budgetIsKept = (changed: number): Invariant => {
  const seen = new WeakSet<TestCluster>();
  return {
    name: 'a budget is not put back to what was asked for before (I9)',
    afterRequest: (cluster, { kind, status }) => {
      if (kind !== 'poddisruptionbudgets.policy' || status >= 300) return undefined;
      const is = budgetOf(cluster);
      if (is === changed) seen.add(cluster);
      return is !== undefined && is !== changed && seen.has(cluster) ? `it lets ${String(is)} go again` : undefined;
    },
  };
};

/** A cache of one member and without a port, whose gate is a Job, where another owner has a Service of the name that its own would have. It grows while it is upgraded, and then its budget is changed: each time an old spec is seen. */
export const lone: Searched = {
  oracles: [...cacheInvariants, servicesAreLeftAlone(foreign), everyPodIsAskedFor, budgetIsKept(2)],
  faults: everyFault,
  // Where the clock jumps the age of an answer is unknown, and the Job is run once more.
  livesVary: ['clock'],
  scenario: {
    ...common,
    name: 'upgrades of a cache of one member, of which an old spec is seen',
    setUp: async (cluster) => {
      installImages(cluster);
      await putService(cluster, foreign);
      const metadata = { name: 'sessions', namespace: 'default' };
      const spec = { replicas: 1, image: 'cache:1', podTemplate, upgrade: { gates: [jobGate(cluster)] } };
      await caches(cluster).create({ apiVersion: 'cache.my.domain/v1', kind: 'ClusteredCache', metadata, spec });
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
      const small = cluster.clock.now();
      await pass(cluster, until, 1000);
      await change(cluster, { image: 'cache:3', replicas: 2 });
      await until(() => asksFor(cluster, 'sessions', 'cache:3') || failed(cluster));
      await pass(cluster, until, 15_000);
      await restartInThePast(cluster, until, { plural: clusteredCaches.plural, at: small });
      await untilAllRun(cluster, 'cache:3', until);
      const strict = cluster.clock.now();
      await pass(cluster, until, 1000);
      await change(cluster, { podDisruptionBudget: { maxUnavailable: 2 } });
      await until(() => budgetOf(cluster) === 2);
      await pass(cluster, until, 15_000);
      await restartInThePast(cluster, until, { plural: clusteredCaches.plural, at: strict });
      await untilAllRun(cluster, 'cache:3', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:3') && isSettled(cluster) && images(cluster).length === 2,
  },
};
