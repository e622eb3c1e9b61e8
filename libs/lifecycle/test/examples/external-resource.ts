import type { Clock, Random } from '@ordinal/client';
import { carryOut, decideDelete, decideEnsure, lookUp, recordAfter, usualIntervals } from '@ordinal/lifecycle';
import type { ExternalRecord, ExternalStatus, ExternalSystem, ExternalView, OutsideContext } from '@ordinal/lifecycle';
import type { Website } from './website.ts';

export interface Database {
  readonly size: string;
}
export type DatabaseView = ExternalView & Database;

interface Context extends OutsideContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Writes the record into the status, on the condition that the object has not changed since it was read. */
  readonly write: (record: ExternalRecord | undefined) => Promise<void>;
}

/** One step towards a database that exists once for as long as its Website does. */
export async function step(
  { metadata, spec, status }: Website,
  provider: ExternalSystem<Database, DatabaseView>,
  context: Context,
): Promise<ExternalStatus> {
  const leaving = metadata.deletionTimestamp !== undefined;
  const [owner, record] = [metadata.uid, status?.database];
  const lookup = await lookUp(provider, { owner, record, leaving }, context);
  const decision = (leaving ? decideDelete : decideEnsure)<Database, DatabaseView>({
    owner,
    noun: 'database',
    record,
    lookup,
    desired: { size: spec.size },
    changeFor: ({ size }) => (size === spec.size ? undefined : { size: spec.size }),
    policy: { create: true, update: true, delete: true },
    traits: provider.traits,
    now: context.clock.now(),
    random: context.random(),
    intervals: usualIntervals,
  });
  await context.write(decision.record); // Announced first: after a crash it is looked for, and not made twice.
  for (const { call } of decision.calls) {
    const outcome = await carryOut(call, provider, context);
    if (decision.record) await context.write(recordAfter(decision.record, outcome));
  }
  return decision.externalStatus;
}
