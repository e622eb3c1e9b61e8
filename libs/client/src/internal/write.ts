import type { DeleteOptions, DeleteResult, Patch, WriteOptions } from '../client.ts';
import type { ResourceDescriptor } from '../descriptor.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';
import { objectOf } from './kind.ts';
import type { Query } from './path.ts';
import { asStatus } from './reply.ts';

/** What a client adds to each write. */
export interface WriteDefaults {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
}

/** The query of a write. */
export function writeQuery(defaults: WriteDefaults, options: WriteOptions): Query {
  return {
    dryRun: defaults.dryRun || options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager ?? defaults.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

/** The body of a delete: the server reads its options from there alone. */
export function deleteBody(defaults: WriteDefaults, options: DeleteOptions): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteChoices(defaults, options) };
}

/** The options of a delete, or of an eviction. */
export function deleteChoices(defaults: WriteDefaults, options: DeleteOptions): Readonly<Record<string, unknown>> {
  const { preconditions, propagationPolicy, gracePeriodSeconds } = options;
  return {
    ...(preconditions !== undefined && { preconditions }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...((defaults.dryRun || options.dryRun === true) && { dryRun: ['All'] }),
  };
}

/** What the reply to a delete says: some kinds are returned although they are gone, so what still holds them is looked at. */
export function deleteOutcome<Read extends KubernetesObject>(
  reply: unknown,
  descriptor: ResourceDescriptor<Read, KubernetesObjectInput>,
): DeleteResult<Read> {
  if (asStatus(reply) !== undefined) return { outcome: 'deleted' };
  const object = objectOf(reply, descriptor);
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  const isHeld = (finalizers ?? []).length > 0 || (deletionGracePeriodSeconds ?? 0) > 0;
  return deletionTimestamp !== undefined && isHeld ? { outcome: 'deleting', object } : { outcome: 'deleted' };
}

/** How each kind of patch is announced. */
export const patchContentType: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};
