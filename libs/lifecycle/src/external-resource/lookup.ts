import type { Instant } from '@ordinal/client';
import type { ReconcileContext } from '@ordinal/runtime';
import { ExternalError, externalErrorOf } from './error.ts';
import type { ExternalRecord } from './record.ts';
import type { ExternalSystem, ExternalView, Traits } from './system.ts';

/** What a look and a call are made with: from a place among those for calls to the outside. */
export type OutsideContext = Pick<ReconcileContext, 'signal' | 'outside'>;

/**
 * The time of the first look: what looks have not shown by then may have come since, however long they or a pause of the process take. It begins when the look
 * has its place to call from: what waits for one has seen nothing yet. Where no look is made it is the time of this call.
 */
export function sinceFirstLook({
  clock,
  outside,
}: Pick<ReconcileContext, 'clock' | 'outside'>): { readonly beganAt: () => Instant } & Pick<
  ReconcileContext,
  'outside'
> {
  const calledAt = clock.now();
  let first: Instant | undefined;
  return {
    beganAt: () => first ?? calledAt,
    outside: (call, how) =>
      outside(() => {
        first ??= clock.now();
        return call();
      }, how),
  };
}

/** What a look outside showed. */
export type LookupResult<View> =
  /** No look was made, because nothing out there matters. */
  | { readonly kind: 'skipped' }
  /** Everything of ours that the provider shows. `byId` says whether the provider knows the recorded ID, where there is one. */
  | { readonly kind: 'answered'; readonly views: readonly View[]; readonly byId: boolean }
  /** The provider offers no look-ups. `isAsked`: it has just answered so; else the record says it. */
  | { readonly kind: 'unsupported'; readonly isAsked: boolean }
  | { readonly kind: 'failed'; readonly error: ExternalError };

/** Where to look. */
export interface LookupQuery {
  readonly owner: string;
  readonly record: ExternalRecord | undefined;
  /** The name of a thing to take over instead of making one. */
  readonly importName?: string | undefined;
  readonly leaving: boolean;
  /** Whether the provider has to offer look-ups: `Required` unless given. `Missing`: it is known to have none, and is not asked. */
  readonly lookUp?: 'Required' | 'Optional' | 'Missing';
}

/**
 * Looks outside, with no more calls than are needed: by ID where it is known, by owner where it is not or the provider denies the ID, by name for an import.
 * Where an earlier creation may yet show up beside what is known, both by ID and by owner.
 * A resource that is leaving and never announced anything needs no look at all (I26); one whose creation was refused is looked for once, as a restore of etcd may have lost an earlier record. That a provider offers no look-ups is believed only where nothing was
 * ever seen there: an answer that comes from something else in the way must not end the search for what there is.
 */
export async function lookUp<Desired, View extends ExternalView>(
  system: ExternalSystem<Desired, View>,
  wanted: LookupQuery,
  { signal, outside }: OutsideContext,
): Promise<LookupResult<View>> {
  const { record, leaving } = wanted;
  if (leaving && record === undefined) return { kind: 'skipped' };
  if (wanted.lookUp === 'Missing') return { kind: 'unsupported', isAsked: false };
  try {
    return await outside(() => lookNow(system, wanted, signal));
  } catch (cause) {
    const error = externalErrorOf(cause);
    const isFirst = record?.id === undefined || record.lookUpMissingAt !== undefined;
    const isUnsupported = wanted.lookUp === 'Optional' && error.code === 'Unsupported' && isFirst;
    return isUnsupported ? { kind: 'unsupported', isAsked: true } : { kind: 'failed', error };
  }
}

async function lookNow<Desired, View extends ExternalView>(
  system: ExternalSystem<Desired, View>,
  { owner, record, importName }: LookupQuery,
  signal: AbortSignal,
): Promise<LookupResult<View>> {
  if (record?.id !== undefined) {
    const view = await system.get(record.id, signal);
    if (view && view.id !== record.id)
      throw new ExternalError('MalformedReply', `asked for ${record.id}, the provider shows ${view.id}`);
    if (view && !mayHaveTwin(record, system.traits)) return { kind: 'answered', views: [view], byId: true };
    // What was taken over carries no owner's mark: its ID is all that there is.
    if (record.imported === true) return { kind: 'answered', views: [], byId: false };
    const others = (await findOwn(system, owner, signal)).filter(({ id }) => id !== view?.id);
    return { kind: 'answered', views: view ? [view, ...others] : others, byId: view !== undefined };
  } else if (importName !== undefined) {
    const view = await system.findByName?.(importName, signal);
    return { kind: 'answered', views: view ? [view] : [], byId: false };
  }
  return { kind: 'answered', views: await findOwn(system, owner, signal), byId: false };
}

/** Whether something else of the owner's may have been made: it vanished and was made again, or a creation without tokens was repeated. */
const mayHaveTwin = ({ incarnation, imported }: ExternalRecord, { repeatedCreate }: Traits): boolean =>
  imported !== true && (incarnation > 1 || repeatedCreate === 'makesAnother');

/** What a provider that does not filter shows of others must be neither adopted nor deleted. */
async function findOwn<Desired, View extends ExternalView>(
  system: ExternalSystem<Desired, View>,
  owner: string,
  signal: AbortSignal,
): Promise<readonly View[]> {
  return (await system.findByOwner(owner, signal)).filter((view) => view.owner === owner);
}
