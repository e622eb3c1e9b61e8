import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { childMetadata, durationOf, monitoredSetChild } from '@ordinal/constructs';
import type { GateJobs, MemberChecks, SpecUpgrade } from '@ordinal/lifecycle';
import { gateJobsFrom } from '../gate-jobs.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { toBuild } from './task.ts';

/** How the members of a set are replaced, and asked: at the first port of the first container, and in it, unless a check says otherwise. */
export function checksOf({ spec }: Pick<MonitoredStatefulSet, 'spec'>): MemberChecks {
  const { template, minReadySeconds = 0 } = spec.statefulSetSpec;
  const [container] = template.spec?.containers ?? [];
  return {
    upgrade: { ...spec.upgrade, minReadySeconds } as SpecUpgrade, // The published type is the same, with what only its schema says.
    port: container?.ports?.[0]?.containerPort,
    container: container?.name ?? '',
    defaultGates: [],
    durationOf,
  };
}

/** The Jobs of a set's gates: each belongs to the set. */
export function gateJobsOf({ set, jobs, pods }: MonitoredSetObservation, now: Instant): GateJobs {
  const metadata = (name: string) => childMetadata({ ...monitoredSetChild(toBuild(set)), name });
  return gateJobsFrom({ now, present: jobs, pods, metadata });
}
