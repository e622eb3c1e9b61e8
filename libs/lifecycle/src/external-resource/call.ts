import type { Clock, Instant } from '@ordinal/client';
import { ExternalError, externalErrorOf } from './error.ts';
import type { OutsideContext } from './lookup.ts';
import { known, refused } from './record.ts';
import type { ExternalRecord } from './record.ts';
import type { DeleteRequest, ExternalSystem, ExternalView } from './system.ts';

/** A call that was decided and is announced in the record. Data: it can be printed without being made. */
export type ExternalCall<Desired> =
  | {
      readonly verb: 'create';
      readonly token: string;
      readonly owner: string;
      readonly desired: Desired;
      /** Not to be started later than this. */
      readonly notAfter: Instant;
      /** When the creation before this one was announced, if its outcome is still unknown. */
      readonly earlier?: string | undefined;
    }
  | { readonly verb: 'update'; readonly id: string; readonly change: Partial<Desired> }
  | ({ readonly verb: 'delete' } & DeleteRequest);

/** How a call ended. */
export type Outcome<Desired, View extends ExternalView> =
  | { readonly call: ExternalCall<Desired>; readonly view?: View; readonly error?: undefined }
  | { readonly call: ExternalCall<Desired>; readonly error: ExternalError };

/**
 * Makes the call. Failures are values: what they mean for the record has to be written whatever they are.
 */
export async function carryOut<Desired, View extends ExternalView>(
  call: ExternalCall<Desired>,
  system: ExternalSystem<Desired, View>,
  context: OutsideContext & { readonly clock: Clock },
): Promise<Outcome<Desired, View>> {
  try {
    return await context.outside(() => send(call, system, context), { ahead: true });
  } catch (cause) {
    const error = externalErrorOf(cause);
    return call.verb === 'delete' && error.code === 'NotFound' ? { call } : { call, error };
  }
}

async function send<Desired, View extends ExternalView>(
  call: ExternalCall<Desired>,
  system: ExternalSystem<Desired, View>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Outcome<Desired, View>> {
  switch (call.verb) {
    case 'create': {
      // It may have waited for its place.
      if (clock.now() > call.notAfter)
        throw new ExternalError('TimedOut', 'the creation was recorded too long ago to be sent', { applied: 'no' });
      const { token, owner, desired } = call;
      return { call, view: await system.create({ token, owner, desired }, signal) };
    }
    case 'update':
      await system.update(call.id, call.change, signal);
      return { call };
    case 'delete':
      await system.delete({ id: call.id, finalSnapshot: call.finalSnapshot }, signal);
      return { call };
  }
}

/**
 * What the record becomes by a call's outcome. Only an ID that was learnt and a creation that certainly did not happen change it; everything else is
 * found out by looking.
 */
export function recordAfter<Desired, View extends ExternalView>(
  record: ExternalRecord,
  outcome: Outcome<Desired, View>,
): ExternalRecord {
  const { call } = outcome;
  if (call.verb !== 'create' || call.token !== record.token || record.id !== undefined) return record;
  if (outcome.error) return outcome.error.applied === 'no' ? refused(record, call.earlier) : record;
  return outcome.view ? known(record, outcome.view.id) : record;
}
