import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { childMetadata, hashOf, milliseconds, monitoredSetChild } from '@ordinal/constructs';
import type { GateJobs, MemberChecks, SpecChecks } from '@ordinal/lifecycle';
import { askedAtAnnotation } from '../annotations.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { toBuild } from './task.ts';

/** How the members of a set are asked: at the first port of the first container, and in it, unless a check says otherwise. */
export function checksOf({ spec }: Pick<MonitoredStatefulSet, 'spec'>): MemberChecks {
  const [container] = spec.statefulSetSpec.template.spec?.containers ?? [];
  return {
    upgrade: spec.upgrade as SpecChecks | undefined, // The published type is the same, with what only its schema says.
    port: container?.ports?.[0]?.containerPort,
    container: container?.name ?? '',
    defaultGates: [],
    milliseconds,
  };
}

/** The Jobs of a set's gates: each belongs to the set. */
export function gateJobsOf({ set, jobs, pods }: MonitoredSetObservation, now: Instant): GateJobs {
  return {
    ...{ now, present: jobs, pods, hashOf, milliseconds, askedAtAnnotation, environmentPrefix: 'ORDINAL' },
    metadata: (name) => childMetadata({ ...monitoredSetChild(toBuild(set)), name }),
  };
}
