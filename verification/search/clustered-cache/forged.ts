import type { Pod } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import { templateHashAnnotation } from '@ordinal/constructs';
import { everyFault } from '../faults/faults.ts';
import { forgeries, rememberStatuses } from '../faults/forger.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** What a user writes into the status of a cache to have another image run, or a member deleted before its turn. */
const actions = forgeries({
  now: cacheNow,
  write: (cluster, status) =>
    caches(cluster).status.patch('sessions', {
      type: 'json',
      operations: [{ op: 'add', path: '/status', value: status as never }],
    }),
  lies: {
    'the failure of what runs now, and another image that ran': ({ status }, cluster) => ({
      ...status,
      failedRevision: setNow(cluster)?.spec.template.metadata?.annotations?.[templateHashAnnotation],
      ...{ currentVersion: 'cache:forged', currentRevision: 'forged' },
    }),
    'another image that ran, and a failure': ({ status }) => ({
      ...status,
      ...{ currentVersion: 'cache:forged', currentRevision: 'forged', failedRevision: 'forged' },
    }),
    'that all have caught up and handed over': ({ metadata: { uid }, status }) => ({
      ...status,
      ...{ catchingUp: undefined, handedOff: uid, upgrade: undefined },
    }),
  },
});

const noForeignImage: Invariant = {
  name: 'no member runs an image that stands in no spec (issue 25)',
  afterChange: (_cluster, { kind, type, object }) => {
    if (kind !== 'pods' || type !== 'ADDED') return undefined;
    const image = (object as Pod).spec.containers[0]?.image; // Of this kind.
    return image === 'cache:forged' ? `${object.metadata.name} runs ${image}` : undefined;
  },
};

/** A cache is upgraded, while a user writes anything into its status: also the failure of what runs, and another image to go back to. */
export const forged: Searched = {
  oracles: [noForeignImage],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade, while a user forges the status',
    setUp: async (cluster) => {
      rememberStatuses(cluster, 'clusteredcaches.cache.my.domain');
      installImages(cluster);
      cluster.image('cache:forged', { startsIn: 2000, http: () => 200 });
      const sync = { http: { path: '/sync' } };
      // The deadline is later than a clock is ever set forward: an upgrade that failed by it would be a true failure.
      const upgrade = { gates: [], sync, onFailure: 'Rollback', progressDeadline: '6h' } as const;
      await caches(cluster).create(cache({ podTemplate, upgrade }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions,
  },
};
