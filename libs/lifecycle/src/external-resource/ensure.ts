import { instantOf } from '@ordinal/client';
import { settleWindowMs, absenceOf, shownAt, withoutFuture } from './absence.ts';
import type { Absence } from './absence.ts';
import { announced, callWindowMs, known, shown, tokenOf, withoutLookUp } from './record.ts';
import type { ExternalRecord } from './record.ts';
import type { ExternalDecision, ExternalObservation, ExternalStatus } from './decision.ts';
import { failedStatus } from './decision.ts';
import { jittered, nextPoll } from './poll.ts';
import type { ExternalView } from './system.ts';

/**
 * Decides the next step for a thing outside that should exist.
 *
 * **Expected flow.** Announce the creation in the record and call; learn the ID, from the reply or by looking the owner up; poll until the thing is
 * ready; from then on look slowly, and correct what differs.
 *
 * **Guarantees.** Nothing is created that was not announced durably before (I22). While it is not known how a creation ended, another one is sent only
 * where the provider gives the first one's result back, or after everything that the first one made must have shown: none found, create; one, adopt;
 * more, stop (I24). While a thing of the owner's is being deleted, no new one is made (I27). Absence is never believed at one look: something is made
 * again only when nothing has shown for as long as a creation may take to show, both since it was announced and since the first look after that. One
 * clock that is set forward can't shorten both.
 *
 * Where the provider offers no look-ups, its replies are all that is known: a creation whose outcome is unknown is repeated with the same token, at least once.
 *
 * **Assumptions.** `traits` tell the truth. The record was read from the API server and its write is conditional on that.
 *
 * **Caveats.** A creation that shows only after more than twice that time (a wrong `settleMs`, a request that was held up in the network for minutes)
 * leads to a second thing. Looks show it as soon as the provider does, as `Ambiguous`, and nothing is used silently.
 */
export function decideEnsure<Desired, View extends ExternalView>(
  given: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  const isShown = given.lookup.kind === 'answered';
  const before = given.record && (isShown ? shown(given.record) : given.record);
  const seen = { ...given, record: before && withoutFuture(before, given.now) };
  const { lookup, noun } = seen;
  if (lookup.kind === 'failed') return wait(seen, failedStatus(lookup.error, 'Unknown'));
  if (lookup.kind === 'unsupported') return withoutLookUp(forNoLookUp(seen), seen, lookup);
  const views = lookup.kind === 'answered' ? lookup.views : [];
  const live = views.filter(({ state }) => state !== 'deleting');
  const [view, ...others] = live;
  if (others.length > 0) {
    const message = `${live.length} ${noun}s carry this object's mark (${live.map(({ id }) => id).join(', ')}): delete all but the right one at the provider`;
    return wait(seen, { reason: 'Ambiguous', message, synced: 'False', ready: 'False', retry: 'wait' });
  }
  if (view) return forView(seen, view, lookup.kind === 'answered' && lookup.byId);
  const [leaving] = views;
  if (leaving) {
    const message = `waiting for the ${noun} ${views.map(({ id }) => id).join(', ')} to be gone before another one is made`;
    // A restore may have taken its record back. Without a record a deletion would not look for it (I23).
    const record = seen.record ?? (seen.policy.importName === undefined ? adopt(seen, leaving) : undefined);
    return moving({ ...seen, record }, { reason: 'BeingDeleted', message, synced: 'False', ready: 'False' });
  }
  return forAbsence(seen);
}

function forView<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  view: View,
  byId: boolean,
): ExternalDecision<Desired, View> {
  const { noun, owner, record, policy } = seen;
  if (view.owner !== undefined && view.owner !== owner) {
    const message = `the ${noun} ${view.id} belongs to another object (UID ${view.owner})`;
    return wait(seen, { reason: 'OwnedByAnother', message, synced: 'False', ready: 'False', retry: 'terminal' });
  }
  if (record?.id === view.id && !byId) {
    const message = `the provider shows the ${noun} ${view.id} in lists, and does not find it by its ID`;
    return moving(seen, { reason: 'Settling', message, synced: 'Unknown', ready: 'Unknown' });
  }
  const adopted = { ...seen, record: adopt(seen, view) };
  const change = policy.update && view.state !== 'pending' ? seen.changeFor(view) : undefined;
  if (change) {
    const call = { verb: 'update', id: view.id, change } as const;
    const because = `the ${noun} differs in ${Object.keys(change).join(', ')}`;
    const ready = view.state === 'ready' ? 'True' : 'False';
    const externalStatus = { reason: 'Updating', message: because, synced: 'False', ready } as const;
    return { ...moving(adopted, externalStatus, view), calls: [{ call, because }] };
  }
  return statusOf(adopted, view);
}

function statusOf<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  view: View,
): ExternalDecision<Desired, View> {
  const { noun, policy } = seen;
  const detail = view.detail === undefined ? '' : ` (${view.detail.slice(0, 500)})`;
  if (view.state === 'pending') {
    const message = `the provider is still working on the ${noun} ${view.id}${detail}`;
    return moving(seen, { reason: 'Creating', message, synced: 'True', ready: 'False' }, view);
  }
  if (view.state === 'failed') {
    const message = `the provider says that the ${noun} ${view.id} has failed${detail}`;
    return wait(seen, { reason: 'Failed', message, synced: 'False', ready: 'False', retry: 'wait' }, view);
  }
  const difference = policy.update ? undefined : seen.changeFor(view);
  if (difference) {
    const message = `the ${noun} ${view.id} differs in ${Object.keys(difference).join(', ')}, and the policy forbids updates`;
    return wait(seen, { reason: 'OutOfSync', message, synced: 'False', ready: 'True' }, view);
  }
  return wait(
    seen,
    { reason: 'Available', message: `the ${noun} ${view.id} is as wanted`, synced: 'True', ready: 'True' },
    view,
  );
}

/** The record of a thing that was seen. Its own token shows which incarnation it is, should our record have been lost. */
function adopt<Desired, View extends ExternalView>(
  { owner, record, policy }: ExternalObservation<Desired, View>,
  view: View,
): ExternalRecord {
  if (record?.id === view.id) return known(record, view.id);
  if (policy.importName !== undefined) {
    return { token: tokenOf(owner, 1), incarnation: 1, id: view.id, imported: true };
  }
  const incarnation = Number(view.token?.slice(owner.length + 1)) || record?.incarnation || 1;
  const base: ExternalRecord = { ...record, token: view.token ?? tokenOf(owner, incarnation), incarnation };
  return known(base, view.id);
}

function forAbsence<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  const { noun, record, policy, traits, owner } = seen;
  if (policy.importName !== undefined || record?.imported === true) {
    const message = `the provider has no ${noun} ${record?.id ?? policy.importName}; an imported one is never created`;
    return wait(seen, { reason: 'ImportNotFound', message, synced: 'False', ready: 'False', retry: 'wait' });
  }
  if (!policy.create) {
    const message = `there is no ${noun}, and the policy forbids creating one`;
    return wait(seen, { reason: 'NotCreated', message, synced: 'False', ready: 'False', retry: 'wait' });
  }
  if (record?.id !== undefined) return forVanished(seen, record);
  const shown = record && shownAt(record, traits);
  if (record === undefined || shown === undefined)
    return create(seen, record?.incarnation ?? nextIncarnation(seen), `there is no ${noun} yet`);
  if (traits.repeatedCreate === 'returnsFirst') {
    return create(
      seen,
      record.incarnation,
      'the outcome of the creation is unknown, and repeating it gives the same one',
    );
  }
  const absence = absenceOf(record, settleWindowMs(seen.traits), seen);
  if (absence.isBelieved) return create(seen, record.incarnation, 'the last creation had no effect');
  const message = `it is not known whether the creation succeeded; waiting until the provider must show its result (owner ${owner})`;
  const settling = { reason: 'Settling', message, synced: 'Unknown', ready: 'False' } as const;
  return lookedForAgain(moving({ ...seen, record: absence.record }, settling), absence, seen);
}

/** The provider denies a thing whose ID we know: believed only when it has done so for as long as a new one may take to show. */
function forVanished<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  record: ExternalRecord,
): ExternalDecision<Desired, View> {
  const { noun } = seen;
  const absence = absenceOf(record, settleWindowMs(seen.traits), seen);
  if (absence.isBelieved) return create(seen, nextIncarnation(seen), `the ${noun} ${record.id} has vanished`);
  const message = `the provider does not show the ${noun} ${record.id}; the operator looks again before it takes it for gone`;
  const vanished = { reason: 'Vanished', message, synced: 'False', ready: 'False' } as const;
  return lookedForAgain(moving({ ...seen, record: absence.record }, vanished), absence, seen);
}

/** The provider shows nothing. What it has answered to a creation is believed; a creation that was not answered is repeated with its token. */
function forNoLookUp<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  const { noun, record } = seen;
  if (record?.deletedAt !== undefined)
    return create(seen, nextIncarnation(seen), `the ${noun} before was removed here`);
  if (record?.id !== undefined) {
    const message = `the provider has answered with the ${noun} ${record.id}, and offers no look-ups: created at least once, and not checked`;
    return wait(seen, { reason: 'Available', message, synced: 'True', ready: 'True' });
  }
  const because =
    record?.createAttemptedAt === undefined
      ? `there is no ${noun} yet`
      : 'the outcome of the creation is unknown, and there is no look-up: it is repeated with the same key';
  return create(seen, record?.incarnation ?? nextIncarnation(seen), because);
}

/** Its token is that of nothing else that the owner has had here, or has elsewhere. */
const nextIncarnation = <Desired, View extends ExternalView>({
  record,
  incarnationElsewhere = 0,
}: ExternalObservation<Desired, View>): number => Math.max(record?.incarnation ?? 0, incarnationElsewhere) + 1;

/** What is missing is looked for several times before that is believed: a provider that lies twice does not lie all the time. */
function lookedForAgain<Desired, View extends ExternalView>(
  decision: ExternalDecision<Desired, View>,
  { lookAgainAt }: Absence,
  { now, traits, random }: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  return { ...decision, lookAgainAt: Math.min(lookAgainAt, now + jittered(settleWindowMs(traits) / 4, random)) };
}

function create<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  incarnation: number,
  because: string,
): ExternalDecision<Desired, View> {
  const { owner, now, desired, noun, record } = seen;
  const announcement = announced(owner, incarnation, now);
  const earlier = record?.incarnation === incarnation ? record.createAttemptedAt : undefined;
  const call = {
    verb: 'create',
    token: announcement.token,
    owner,
    desired,
    notAfter: now + callWindowMs,
    earlier,
  } as const;
  const externalStatus = {
    reason: 'Creating',
    message: `creating the ${noun}: ${because}`,
    synced: 'False',
    ready: 'False',
  } as const;
  return { ...moving({ ...seen, record: announcement }, externalStatus), calls: [{ call, because }] };
}

/** Nothing to do; look again as slowly as at what rests. */
function wait<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  externalStatus: ExternalStatus,
  view?: View,
): ExternalDecision<Desired, View> {
  const lookAgainAt = seen.now + jittered(seen.intervals.steadyMs, seen.random);
  return { record: seen.record, calls: [], externalStatus, view, lookAgainAt };
}

/** Something is under way: look again soon, and ever more slowly the longer it takes. */
function moving<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  externalStatus: ExternalStatus,
  view?: View,
): ExternalDecision<Desired, View> {
  const since = instantOf(seen.record?.createAttemptedAt) ?? seen.now;
  return {
    record: seen.record,
    calls: [],
    externalStatus,
    view,
    lookAgainAt: nextPoll({ ...seen, since }, seen.intervals),
  };
}
