import type { MonitoredStatefulSet, MonitoredStatefulSetStatusRegistrations } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { Secret } from '@ordinal/client';
import type { ReconcileContext } from '@ordinal/runtime';
import { decodeSecret, ExternalError, externalErrorOf, inUseFinalizer, readSecret } from '@ordinal/lifecycle';
import type { Monitors, MonitorSystem } from './monitor.ts';

/** Where a token stands, and in which version of its Secret; never the token itself. */
export type UsedCredentials = NonNullable<MonitoredStatefulSetStatusRegistrations['credentialsSecretRef']>;

/** A monitor that may hold an entry, and what the status says of it. */
export interface Recorded {
  readonly endpoint: string;
  readonly record: MonitoredStatefulSetStatusRegistrations | undefined;
}

/** How a monitor is reached. */
export interface Access {
  /** The monitor, or why it can't be called. */
  readonly system: MonitorSystem | ExternalError;
  /** What it is called with; undefined where it is called without a token, or not at all. */
  readonly credentials: UsedCredentials | undefined;
}

/** The fields of a set that tell which Secrets it needs. */
export interface SecretUser {
  readonly spec: Pick<MonitoredStatefulSet['spec'], 'credentialsSecretRef'>;
  readonly status?: Pick<NonNullable<MonitoredStatefulSet['status']>, 'registrations'> | undefined;
}

/** Every Secret that the clean-up of a set needs: the one of the spec, and those that former entries were made with. */
export function secretsNeeded({ spec, status }: SecretUser): readonly string[] {
  const former = (status?.registrations ?? []).map(({ credentialsSecretRef }) => credentialsSecretRef?.name);
  return [...new Set([spec.credentialsSecretRef?.name, ...former])].filter((name) => name !== undefined);
}

/**
 * The monitor at an endpoint, with the token that is meant for it. The monitor of the spec is called with what the spec names. A former one is called with
 * what its entry was made with: a new token is never shown to a monitor that it may not be meant for, unless both are at the same origin.
 */
export async function accessTo(
  { endpoint, record }: Recorded,
  set: MonitoredStatefulSet,
  {
    context,
    monitors,
  }: { readonly context: Pick<ReconcileContext, 'cache' | 'client' | 'signal'>; readonly monitors: Monitors },
): Promise<Access> {
  const { metadata, spec } = set;
  const isFormer = endpoint !== spec.monitorEndpoint && !haveSameOrigin(endpoint, spec.monitorEndpoint);
  const reference = isFormer ? record?.credentialsSecretRef : spec.credentialsSecretRef;
  try {
    // A Secret that can't be read is no wrong token: it is tried again.
    const secret =
      reference && (await readSecret({ namespace: metadata.namespace ?? '', name: reference.name }, context));
    if (reference === undefined) return { system: monitors.at(endpoint, undefined), credentials: undefined };
    const { name, key } = reference;
    const token = secret && decodeSecret(secret)[key];
    const refusal = refusalOf({ secret, token, isFormer, record }, set, reference);
    if (refusal) return { system: refusal, credentials: undefined };
    const { resourceVersion = '' } = secret?.metadata ?? {};
    return { system: monitors.at(endpoint, token), credentials: { name, key, resourceVersion } };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { system: externalErrorOf(error), credentials: undefined };
  }
}

interface Found {
  readonly secret: Secret | undefined;
  readonly token: string | undefined;
  readonly isFormer: boolean;
  readonly record: Recorded['record'];
}

function refusalOf(
  { secret, token, isFormer, record }: Found,
  { metadata, spec }: MonitoredStatefulSet,
  { name, key }: { readonly name: string; readonly key: string },
): ExternalError | undefined {
  const place = `Secret ${metadata.namespace ?? ''}/${name}`;
  const whose = isFormer
    ? `the registration at ${record?.endpoint ?? ''} was made with`
    : 'spec.credentialsSecretRef names';
  const refuse = (code: 'Unauthorized' | 'Unprotected', message: string) =>
    new ExternalError(code, message, { applied: 'no' });
  if (secret === undefined || token === undefined)
    return refuse('Unauthorized', `there is no key ${key} in ${place}, which ${whose}`);
  const isNamedNow = spec.credentialsSecretRef?.name === name && spec.credentialsSecretRef.key === key;
  const hasChanged = record?.credentialsSecretRef?.resourceVersion !== secret.metadata.resourceVersion;
  if (isFormer && isNamedNow && hasChanged) {
    const remedy = `put the token of the former monitor back into it, and the new one into another Secret that spec.credentialsSecretRef names`;
    return refuse(
      'Unauthorized',
      `${place} has changed since ${whose} it: its token may be for ${spec.monitorEndpoint} only; ${remedy}`,
    );
  }
  // Without the finalizer, the deletion of the namespace could take the token away before the registration.
  const isProtected = secret.metadata.finalizers?.includes(inUseFinalizer(monitoredStatefulSets)) === true;
  if (isProtected || metadata.deletionTimestamp !== undefined) return undefined;
  return refuse('Unprotected', `${place} is not protected against deletion yet`);
}

const haveSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
