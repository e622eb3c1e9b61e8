import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { part, without } from '../kinds/spec.ts';
import type { StoredMeta, StoredObject } from '../object.ts';
import type { JsonObject, RequestOptions } from '../request.ts';

/** What a delete asks for. */
export type DeleteOptions = Pick<
  RequestOptions,
  'dryRun' | 'gracePeriodSeconds' | 'propagationPolicy' | 'preconditions'
>;

/** What becomes of an object whose deletion is asked for. */
export type Deletion =
  /** Nothing: it is being deleted already. */
  | { readonly outcome: 'pending' }
  /** It is marked, and goes later. */
  | { readonly outcome: 'marked'; readonly object: StoredObject }
  /** It goes now; pods are marked first, and watches see both. */
  | { readonly outcome: 'removed'; readonly marked?: StoredObject };

/** Whether nothing keeps an object any more: its deletion was asked for, its grace period is over and its finalizers are gone. */
export function isReleased(object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) !== 0) return false;
  const spec = object['spec'] as { readonly finalizers?: readonly string[] } | undefined;
  const contentGone = object.kind !== 'Namespace' || (spec?.finalizers ?? []).length === 0;
  return contentGone && (finalizers ?? []).length === 0;
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/** The finalizers that a propagation policy leaves: it sets or removes those of the garbage collector. */
function withPropagation(
  finalizers: readonly string[],
  policy: DeleteOptions['propagationPolicy'],
  kind: string,
): readonly string[] {
  // For compatibility with clients from before there was a garbage collector.
  const orphansByDefault = kind === 'ReplicationController' && !finalizers.includes(foreground);
  const orphans = policy === undefined ? finalizers.includes(orphan) || orphansByDefault : policy === 'Orphan';
  const waits = policy === undefined ? finalizers.includes(foreground) && !orphans : policy === 'Foreground';
  const others = finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  const next = [...others, ...(orphans ? [orphan] : []), ...(waits ? [foreground] : [])];
  return next.length === finalizers.length && next.every((finalizer) => finalizers.includes(finalizer))
    ? finalizers
    : next;
}

/** How long a pod may take to end; undefined for kinds that have no such time. */
export function gracePeriod(object: StoredObject, options: DeleteOptions): number | undefined {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1') return undefined;
  const pod = object as unknown as JsonObject;
  const spec = part(pod, 'spec');
  const { phase } = part(pod, 'status');
  if (typeof spec['nodeName'] !== 'string' || spec['nodeName'] === '' || phase === 'Failed' || phase === 'Succeeded')
    return 0;
  const period = options.gracePeriodSeconds ?? Number(spec['terminationGracePeriodSeconds'] ?? 0);
  return period < 0 ? 1 : period;
}

const withMeta = (object: StoredObject, meta: Partial<StoredMeta>): StoredObject => ({
  ...object,
  metadata: { ...object.metadata, ...meta },
});

const grown = ({ generation }: StoredMeta): Partial<StoredMeta> =>
  generation !== undefined && generation > 0 ? { generation: generation + 1 } : {};

/** What a delete does to an object, as the registry's generic store decides it. */
export function decideDeletion(live: StoredObject, options: DeleteOptions, now: Instant): Deletion {
  const graceful = gracePeriod(live, options);
  const step = graceful === undefined ? {} : gracefully(live, { graceful, asked: options.gracePeriodSeconds, now });
  if (step === 'pending') return { outcome: 'pending' };
  const finalizers = live.metadata.finalizers ?? [];
  const remaining = withPropagation(finalizers, options.propagationPolicy, live.kind);
  const isGraceful = 'deletionTimestamp' in step;
  const base = remaining === finalizers ? live : withFinalizers(live, remaining);
  if (isGraceful) {
    const marked = withMeta(base, step);
    return remaining.length > 0 || (step.deletionGracePeriodSeconds ?? 0) > 0
      ? { outcome: 'marked', object: marked }
      : { outcome: 'removed', marked };
  }
  if (remaining.length > 0) return { outcome: 'marked', object: markedNow(base, now) };
  return { outcome: 'removed' };
}

function withFinalizers(object: StoredObject, finalizers: readonly string[]): StoredObject {
  const metadata = without(object.metadata as unknown as JsonObject, 'finalizers');
  // What was left out is optional.
  return {
    ...object,
    metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) } as unknown as StoredMeta,
  };
}

function markedNow(object: StoredObject, now: Instant): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  const current = timestamp(now);
  return withMeta(object, {
    ...(deletionGracePeriodSeconds === undefined && grown(object.metadata)),
    deletionTimestamp: deletionTimestamp === undefined || deletionTimestamp > current ? current : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
  });
}

/** A deletion that is under way may only be hastened. */
function gracefully(
  { metadata }: StoredObject,
  { graceful, asked, now }: { readonly graceful: number; readonly asked: number | undefined; readonly now: Instant },
): 'pending' | Partial<StoredMeta> {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined)
    return {
      ...grown(metadata),
      deletionTimestamp: timestamp(now + graceful * 1000),
      deletionGracePeriodSeconds: graceful,
    };
  if (deletionGracePeriodSeconds === 0) return {};
  if (asked === undefined || asked >= deletionGracePeriodSeconds) return 'pending';
  const started = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return { deletionTimestamp: timestamp(started + asked * 1000), deletionGracePeriodSeconds: asked };
}
