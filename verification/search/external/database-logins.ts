import type { SimulatedCluster } from '@ordinal/simulator';
import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { Secret } from '@ordinal/client';
import type { FakeProvider, KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import { mayBeMerged } from '../../../libs/reconcilers/test/world/restored.ts';
import { connection, name } from './database-steps.ts';

/** What an application has read from the connection Secret. */
interface Read {
  readonly thing: KeptThing;
  readonly username: string;
  readonly password: string;
  /** Until when the Secret has said so; undefined while it does. */
  until?: number | undefined;
}

/** The overlap of a spec that does not name one, and of the scenarios that do. */
const overlapMs = 120_000;

/**
 * Checks that an application that reads the connection Secret within the overlap never has a refused login: what the Secret has named, and the provider has let in, is let in
 * for as long as the overlap after the Secret names something else. Where the Secret comes to name another login of the same database, that is let in at once.
 *
 * The provider plans the end of a login, so that asking at each change of both is enough. After a restore of etcd it counts for what is named once the operator must have noticed it.
 */
export function watchLogins(
  { cluster, provider }: { readonly cluster: SimulatedCluster; readonly provider: FakeProvider },
  broken: (what: string) => void,
): void {
  const reads: Read[] = [];
  const check = (): void => {
    // What was on its way when etcd was restored ends the login that is named again; the operator opens it as soon as it has noticed.
    if (mayBeMerged(cluster)) reads.length = 0;
    for (const what of refusedAmong(reads, { cluster, provider })) broken(what);
  };
  const read = (data: Secret['data'], isChange: boolean): void => {
    const now = cluster.clock.now();
    const named = namedIn(data, provider);
    for (const one of reads) if (named === undefined || !isSame(one, named)) one.until ??= now;
    const last = reads.at(-1);
    if (named === undefined || (last?.until === undefined && last !== undefined && isSame(last, named))) return;
    const login = provider.loginOf(named.thing, named);
    // One that has its end already stands in the Secret after a restore of etcd only: it is asked for once it is open again.
    if (login !== undefined && login.endsAt === undefined) reads.push(named);
    else if (login === undefined && isChange && last?.thing === named.thing && last.username !== named.username)
      broken(`the Secret names ${named.username}, which ${named.thing.id} refuses`);
  };
  cluster.server.store.subscribe(({ kind, before, after, deleted, restored }) => {
    if (kind !== 'secrets' || (after as unknown as Secret).metadata.name !== connection) return;
    const data = deleted ? undefined : (after as unknown as Secret).data;
    read(data, before !== undefined && !deleted && restored !== true);
    check();
  });
  provider.watch(() => {
    // What the provider has just let in is promised from now on.
    read(cluster.objects.find(secrets, 'default', connection)?.data, false);
    if (cluster.objects.find(cloudDatabases, 'default', name)?.metadata.deletionTimestamp === undefined) check();
  });
}

const isSame = (one: Read, other: Read): boolean =>
  one.thing === other.thing && one.username === other.username && one.password === other.password;

function namedIn(data: Secret['data'], provider: FakeProvider): Read | undefined {
  const value = (key: string): string => atob(data?.[key] ?? '');
  const thing = provider.present().find(({ id }) => `${id}.db.example` === value('host'));
  if (thing?.logins === undefined) return undefined;
  return { thing, username: value('username'), password: value('password') };
}

function refusedAmong(
  reads: readonly Read[],
  { cluster, provider }: { readonly cluster: SimulatedCluster; readonly provider: FakeProvider },
): readonly string[] {
  const now = cluster.clock.now();
  const present = provider.present().filter(({ deletingAt }) => deletingAt === undefined);
  const bound = reads.filter(
    ({ thing, until }) => present.includes(thing) && (until === undefined || now < until + overlapMs),
  );
  return bound.flatMap((read) => {
    const { thing, username, until } = read;
    const login = provider.loginOf(thing, read);
    if (login === undefined) return [`${thing.id} refuses ${username}, which the Secret has named a short time ago`];
    const isTooEarly = login.endsAt !== undefined && (until === undefined || login.endsAt < until + overlapMs);
    return isTooEarly ? [`${username} ends at ${thing.id} before applications have to know another login`] : [];
  });
}
