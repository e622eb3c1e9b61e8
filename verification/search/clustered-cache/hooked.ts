import type { Job, Pod } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  images,
  installImages,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, meddling, podTemplate, untilAllRun } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

const migrate = 'example.com/migrate:1';

/** Of one history: for which images a Job has succeeded. */
const succeeded = new WeakMap<TestCluster, Set<string>>();

const succeededIn = (cluster: TestCluster): Set<string> => {
  const images = succeeded.get(cluster) ?? new Set<string>();
  succeeded.set(cluster, images);
  return images;
};

/** The image that the Job comes before, as its container finds it. */
const aimOf = ({ spec }: Job): string | undefined =>
  spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === 'ORDINAL_IMAGE')?.value;

const isComplete = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** What the Job comes before is what no member starts as before, whichever client has taken down the one that it replaces. */
const hookComesFirst: Invariant = {
  name: 'no member starts as a new version before the Job of the upgrade has succeeded',
  afterChange: (cluster, { kind, type, object }) => {
    if (type === 'DELETED') return undefined;
    if (kind === 'jobs.batch' && object.metadata.labels?.[purposeLabel] === 'BeforeUpgrade') {
      const job = object as Job; // Of this kind.
      if (isComplete(job)) succeededIn(cluster).add(aimOf(job) ?? '');
    }
    if (kind !== 'pods' || type !== 'ADDED' || object.metadata.labels?.['app'] !== 'sessions') return undefined;
    const image = (object as Pod).spec.containers[0]?.image ?? ''; // Of kind pods.
    return image === 'cache:2' && !succeededIn(cluster).has(image)
      ? `${object.metadata.name} starts as ${image}, and no Job for that has succeeded`
      : undefined;
  },
};

/** The Job before the first member fails, with which the upgrade stops; it is mended, and the upgrade goes on. */
export const hooked: Searched = {
  oracles: [...cacheInvariants, hookComesFirst],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade whose Job before the first member fails, and is mended',
    setUp: async (cluster) => {
      installImages(cluster);
      cluster.image(migrate, { startsIn: 1000, run: ({ command }) => (command.includes('fail') ? 1 : 0) });
      const beforeFirstPod = { image: migrate, command: ['fail'], retries: 0 };
      await caches(cluster).create(cache({ podTemplate, upgrade: { beforeFirstPod } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1') || failed(cluster));
      await change(cluster, { image: 'cache:2' });
      await until(() => cacheNow(cluster)?.spec.image === 'cache:2' && failed(cluster));
      await pass(cluster, until, 60_000);
      await change(cluster, { upgrade: { beforeFirstPod: { command: ['migrate'] } } });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2') && images(cluster).length === 3,
    actions: meddling,
  },
};
