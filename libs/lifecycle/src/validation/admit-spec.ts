import type { KubernetesObject } from '@ordinal/client';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { ValidationError } from './validation-error.ts';
import { validationText } from './validation-error.ts';

/** What is wrong with an object, and what its author should know although nothing is. */
export interface SpecRules<Resource extends KubernetesObject> {
  /** `before` is the object as it was, for an update: some fields can't change. */
  readonly validate: (object: Resource, before?: Resource) => readonly ValidationError[];
  readonly warnings?: (object: Resource) => readonly string[];
}

/** What of a request is looked at. */
export type SpecRequest<Resource extends KubernetesObject> = Pick<AdmissionRequest<Resource>, 'object' | 'oldObject'>;

/**
 * What a validating webhook answers to a new or changed spec: 422 and every error, or allowed, with warnings. Pure.
 *
 * **Guarantees.** What leaves the spec as it is passes, whatever is wrong with it: a label can be changed, and a finalizer can be removed. An object that is being
 * deleted is judged like any other, since the operator follows its spec until it is gone.
 */
export function admitSpec<Resource extends KubernetesObject & { readonly spec: object }>(
  { object, oldObject }: SpecRequest<Resource>,
  { validate, warnings: warningsOf = () => [] }: SpecRules<Resource>,
): Verdict {
  if (object === null || JSON.stringify(object.spec) === JSON.stringify(oldObject?.spec)) return { allowed: true };
  const errors = validate(object, oldObject ?? undefined);
  if (errors.length > 0) return { allowed: false, code: 422, reason: 'Invalid', message: validationText(errors) };
  const warnings = warningsOf(object);
  return { allowed: true, ...(warnings.length > 0 ? { warnings } : {}) };
}
