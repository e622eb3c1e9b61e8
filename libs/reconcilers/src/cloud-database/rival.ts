import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import type { CacheReader } from '@ordinal/runtime';

/** By which CloudDatabases are found that have taken over a database of an account. */
export const importIndex = 'byImport';

const keyOf = (account: string, id: string): string => `${account} ${id}`;

/** What a CloudDatabase is filed under in the index: the database that it has taken over. */
export function importKeys({ status }: CloudDatabase): string[] {
  const { imported, account, id } = status?.external ?? {};
  return imported === true && account !== undefined && id !== undefined ? [keyOf(account, id)] : [];
}

/**
 * The CloudDatabase that has taken over the same database and goes first: any, as long as this one has not written down that it has; then the older one.
 * What is taken over carries no owner's mark at the provider, so that only the cache shows it.
 */
export function rivalOf(
  database: CloudDatabase,
  { account, id }: { readonly account: string; readonly id: string },
  cache: CacheReader,
): CloudDatabase | undefined {
  const isClaimed = importKeys(database).includes(keyOf(account, id));
  return cache
    .byIndex(cloudDatabases, importIndex, keyOf(account, id))
    .filter(({ metadata }) => metadata.uid !== database.metadata.uid)
    .find((other) => !isClaimed || seniority(other) < seniority(database));
}

const seniority = ({ metadata }: CloudDatabase): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid}`;
