import type { ClusteredCache } from '@ordinal/api';
import { cacheTasks } from '@ordinal/constructs';
import { DisruptionGate, admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { protectCaches } from './disruption.ts';
import { validateClusteredCache } from './validate.ts';

/** What the operator's webhooks ask of ClusteredCaches: of their specs, and of the deletion of their members. */
export const clusteredCacheWebhook: KindWebhook<ClusteredCache> = {
  admit: (request) => admitSpec(request, { validate: validateClusteredCache, warnings: warningsOf }),
  creates: ({ spec }) => ['StatefulSet', ...(asksForJobs(spec) ? (['Job'] as const) : [])],
  gates: {
    disruption: (environment) => new DisruptionGate({ ...environment, protection: protectCaches(environment) }),
  },
};

/** Whether a spec asks for Jobs: those of gates, and tasks. */
const asksForJobs = (spec: ClusteredCache['spec']): boolean =>
  cacheTasks(spec).length > 0 || (spec.upgrade?.gates?.some(({ job }) => job) ?? false);

function warningsOf({ spec }: ClusteredCache): string[] {
  const warnings: string[] = [];
  if (spec.upgrade?.handoff?.http?.method === 'POST') {
    warnings.push(
      'spec.upgrade.handoff.http.method: a preStop hook can’t POST, so that a member that another client deletes does not hand over',
    );
  }
  if (spec.replicas === 1 && spec.upgrade?.gates?.some(({ target }) => target !== 'Self')) {
    warnings.push('spec.upgrade.gates: a single member has no peers to ask');
  }
  return warnings;
}
