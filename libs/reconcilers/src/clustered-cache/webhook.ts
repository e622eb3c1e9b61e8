import type { ClusteredCache } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { SpecRequest } from '@ordinal/lifecycle';
import type { Verdict } from '@ordinal/runtime/webhooks';
import { validateClusteredCache } from './validate.ts';

/** What the validating webhook answers to a new or changed ClusteredCache. Pure. */
export const admitClusteredCache = (request: SpecRequest<ClusteredCache>): Verdict =>
  admitSpec(request, { validate: validateClusteredCache, warnings: warningsOf });

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
