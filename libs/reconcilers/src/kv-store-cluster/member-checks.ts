import type { KVStoreCluster, KVStoreClusterSpec } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { childMetadata, hashOf, kvStoreChild, kvStoreContainer } from '@ordinal/constructs';
import type { GateJobs, MemberChecks, SpecChecks } from '@ordinal/lifecycle';
import { askedAtAnnotation } from '../annotations.ts';
import type { Observation } from './observation.ts';
import { durationOf, membersOf, toBuild } from './observation.ts';

/** How long a check may take whose duration can't be read, in milliseconds: a spec that is invalid is reported, and not followed. */
const unreadableMs = 10_000;

const milliseconds = (text: string): number => durationOf(text, unreadableMs);

/** How the members of a cluster are asked. Without gates in the spec, none is asked before it goes. */
export function checksOf({ upgrade, canary, port }: KVStoreClusterSpec): MemberChecks {
  return {
    upgrade: { ...upgrade, ...(canary && { canary }) } as SpecChecks,
    port,
    container: kvStoreContainer,
    defaultGates: [],
    milliseconds,
  };
}

/** Whether anything is asked before a member goes down. Without that, the StatefulSet's own order is enough. */
export function isGated({ spec: { upgrade } }: KVStoreCluster): boolean {
  return (upgrade?.gates?.length ?? 0) > 0 || upgrade?.handoff !== undefined || upgrade?.sync !== undefined;
}

/** The Jobs of a cluster's gates: each goes with the cluster. */
export function gateJobsOf(seen: Observation, now: Instant): GateJobs {
  const { cluster, gateJobs: present } = seen;
  const pods = membersOf(seen).flatMap(({ uid }) => seen.pods.find(({ metadata }) => metadata.uid === uid) ?? []);
  const child = kvStoreChild(toBuild(cluster));
  const metadata = (name: string) => childMetadata({ ...child, name });
  return { now, present, pods, metadata, hashOf, milliseconds, askedAtAnnotation, environmentPrefix: 'ORDINAL' };
}
