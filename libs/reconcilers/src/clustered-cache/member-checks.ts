import type { ClusteredCache, ClusteredCacheSpec } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { cacheChild, cacheContainer, childMetadata, durationOf } from '@ordinal/constructs';
import type { GateJobs, MemberChecks, SpecGate, SpecUpgrade } from '@ordinal/lifecycle';
import { gateJobsFrom } from '../gate-jobs.ts';
import type { CacheObservation } from './observe.ts';
import { isTakenOut } from './taken-out.ts';
import { toBuild } from './template.ts';

const seedGate: SpecGate = {
  name: 'ready-for-shutdown',
  target: 'Peers',
  http: { path: '/ready-for-shutdown', scheme: 'HTTP', method: 'GET', via: 'PodIP' },
};

/** How the members of a cache are asked. Without gates in the spec, peers are asked `/ready-for-shutdown`, where a port is given. */
export function checksOf(spec: ClusteredCacheSpec): MemberChecks {
  const { upgrade, port } = spec;
  const defaultGates = port === undefined ? [] : [seedGate];
  return {
    upgrade: upgrade as SpecUpgrade | undefined,
    port,
    container: cacheContainer(spec),
    defaultGates,
    durationOf,
  };
}

/** The Jobs of a cache's gates: each belongs to the cache. */
export function gateJobsOf(seen: CacheObservation, now: Instant): GateJobs {
  const built = toBuild(seen.cache);
  return gateJobsFrom({
    now,
    present: seen.jobs,
    pods: seen.pods.filter((pod) => !isTakenOut(pod, built)),
    metadata: (name) => jobMetadata(seen.cache, name),
  });
}

const jobMetadata = (cache: ClusteredCache, name: string) => childMetadata({ ...cacheChild(toBuild(cache)), name });
