import type { Client } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import { allow, deny } from '@ordinal/runtime/webhooks';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { maxSpecLength } from '../oversize.ts';
import { keptOutOf } from '../reserved.ts';
import { admitAuthor, specOf } from './author.ts';

/** What a judgment needs beside the request. */
export interface JudgeOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The namespaces in which the operator keeps no resources. */
  readonly reserved: readonly string[];
}

/**
 * Judges a new or changed spec: first whether it makes sense, then whether its author may have what it asks for. Whether the resource is being deleted counts for
 * nothing: it can be created like that, and until it is gone the operator does what its spec says. What leaves the spec as it is, such as a finalizer that goes,
 * always passes.
 */
export async function admitResource(
  request: AdmissionRequest,
  { client, signal, reserved }: JudgeOptions,
): Promise<Verdict> {
  const { object, oldObject, namespace = '' } = request;
  if (object === null) return allow();
  const spec = specOf(object);
  if (spec !== specOf(oldObject)) {
    if (reserved.includes(namespace)) return deny(keptOutOf(namespace), { code: 403, reason: 'Forbidden' });
    if (spec.length > maxSpecLength) return deny(tooLarge(spec.length), { code: 422, reason: 'Invalid' });
  }
  // The webhook's configuration sends each kind with its own objects.
  const kind = kinds.find(({ descriptor }) => descriptor.kind === request.kind.kind);
  if (kind === undefined) return allow();
  // What the kind's reconciler would refuse too, were this webhook not there.
  const verdict = kind.webhook.admit(request);
  if (!verdict.allowed) return verdict;
  return (await admitAuthor(request, { client, signal, creates: kind.webhook.creates(object) })) ?? verdict;
}

const tooLarge = (length: number): string =>
  `spec takes ${length} characters as JSON, and the operator keeps at most ${maxSpecLength}: put large values into a ConfigMap or Secret`;
