import type { ClusteredCache } from '@ordinal/api';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { validateClusteredCache, violationText } from './validate.ts';

/**
 * What the validating webhook answers to a ClusteredCache. One whose spec stays as it is passes: whatever is wrong with it, its finalizers must go. One that is
 * being deleted is judged as any other when its spec changes.
 */
export function admitClusteredCache({
  object,
  oldObject,
}: Pick<AdmissionRequest<ClusteredCache>, 'object' | 'oldObject'>): Verdict {
  if (!object) return { allowed: true };
  if (oldObject && JSON.stringify(oldObject.spec) === JSON.stringify(object.spec)) return { allowed: true };
  const violations = validateClusteredCache(object, oldObject ?? undefined);
  if (violations.length > 0)
    return { allowed: false, code: 422, reason: 'Invalid', message: violationText(violations) };
  const warnings = warningsOf(object);
  return { allowed: true, ...(warnings.length > 0 ? { warnings } : {}) };
}

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
