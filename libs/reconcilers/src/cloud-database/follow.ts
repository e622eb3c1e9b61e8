import type { CloudDatabase } from '@ordinal/api';
import type { ExternalRecord, OutsideContext } from '@ordinal/lifecycle';
import { ExternalError, externalErrorOf } from '@ordinal/lifecycle';
import type { DatabaseAccount, DatabaseView } from './database.ts';

/**
 * With this annotation anyone who may change the object says that the account which the provider Secret describes now is the one where the database was made, by
 * another name: its endpoint was renamed. The value is the account as the message shows it, so that a later change of the Secret is not followed.
 */
const followAccountAnnotation = 'ordinal.dev/follow-account';

/** The two names of an account. */
export interface Renamed {
  readonly recordedAt: string;
  readonly account: DatabaseAccount;
}

/**
 * Asks whether the account that the Secret describes now is the one where the database was made. Undefined where it is; otherwise why that is not believed.
 *
 * **Guarantees.** It is believed only where both hold: an annotation of the object names exactly this account, and the database is found there with its ID, this
 * object's mark and the idempotency token that it was made with. Anyone who may write the Secret alone decides nothing: neither where passwords are sent, nor which
 * host applications are given, nor that a database counts as gone. Before that nothing but look-ups is sent there.
 *
 * **Caveats.** A database that was taken over carries no mark, so it is never followed.
 */
export async function whyNotFollowed(
  database: CloudDatabase,
  { recordedAt, account }: Renamed,
  context: OutsideContext,
): Promise<ExternalError | undefined> {
  const { metadata, status } = database;
  const record = status?.external;
  const moved = `the database was made at ${recordedAt}, but the provider Secret now describes ${account.account}`;
  if (metadata.annotations?.[followAccountAnnotation] !== account.account)
    return refused(`${moved}: put it back${orFollow(database, account)}`);
  if (record === undefined || record.imported === true)
    return refused(`${moved}: put it back; one that was taken over carries no mark by which it could be known there`);
  try {
    const found = await context.outside(() => find(database, { record, account }, context.signal));
    return found ? undefined : refused(`${moved}, where no database with this object's mark is found: put it back`);
  } catch (cause) {
    return externalErrorOf(cause);
  }
}

async function find(
  { metadata }: CloudDatabase,
  { record, account: { system } }: { readonly record: ExternalRecord; readonly account: DatabaseAccount },
  signal: AbortSignal,
): Promise<boolean> {
  const isOurs = ({ owner, token }: DatabaseView): boolean => owner === metadata.uid && token === record.token;
  if (record.id === undefined) return (await system.findByOwner(metadata.uid, signal)).some(isOurs);
  const view = await system.get(record.id, signal);
  return view !== undefined && view.id === record.id && isOurs(view);
}

/** The command that says that it is the same account. What a Secret holds is given as a command only where it needs no quoting beyond a pair of quotes. */
function orFollow({ metadata, spec }: CloudDatabase, { account }: DatabaseAccount): string {
  if (spec.externalName !== undefined) return '';
  const same = '. If that is the same account by another name, ';
  if (!/^[\w.:@/ -]+$/.test(account)) return `${same}name it in the annotation ${followAccountAnnotation}`;
  const object = `-n ${metadata.namespace ?? 'default'} clouddatabase ${metadata.name}`;
  return `${same}kubectl annotate ${object} ${followAccountAnnotation}='${account}' --overwrite`;
}

const refused = (message: string): ExternalError => new ExternalError('Refused', message, { applied: 'no' });
