import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase, CloudDatabaseStatusExternal } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import { databaseFinalizer } from '../../../libs/reconcilers/src/cloud-database/index.ts';
import { contradictionsIn, shortOf } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';
import { isFromBefore, isOnItsWay, mayBeMerged, wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { FakeProvider, ProviderEvent, KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import { watchLogins } from './database-logins.ts';
import { LostOwners } from './lost-owners.ts';
import type { Timed } from './times-stay.ts';
import { movedTimes } from './times-stay.ts';
import { UnknownRestores } from './unknown-restores.ts';

/** An invariant that was broken: its name in lifecycle.md, and how. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Watches every step of a history: each change at the provider and each write of a CloudDatabase. */
export class DatabaseInvariants {
  readonly violations: Violation[] = [];
  private readonly passwords = new Set<string>();
  private readonly lost: LostOwners;
  private readonly unknown: UnknownRestores;
  private readonly cluster: SimulatedCluster;
  private readonly provider: FakeProvider;
  private readonly isForged: boolean;

  /** `isForged`: another client writes the status, and what stands in it is no promise. */
  constructor(
    world: { readonly cluster: SimulatedCluster; readonly provider: FakeProvider; readonly operator: Operator },
    { isForged }: { readonly isForged: boolean },
  ) {
    const { cluster, provider } = world;
    this.isForged = isForged;
    this.unknown = new UnknownRestores(world);
    this.lost = new LostOwners(world, databaseFinalizer);
    this.cluster = cluster;
    this.provider = provider;
    provider.watch((event) => this.outside(event));
    watchLogins(world, (what) => this.broken('no refused login', what));
    cluster.server.store.subscribe((change) => {
      const { kind, before, after, deleted, restored } = change;
      const isDatabase = kind === `${cloudDatabases.plural}.${cloudDatabases.group}`;
      // The store holds what the API server has validated.
      if (isDatabase) this.lost.note(change, goingWith(after as unknown as CloudDatabase));
      // After a restore the store is back at an earlier state, and no client has written the differences.
      if (restored === true) return;
      if (kind === 'secrets') this.noted(after as { readonly data?: Readonly<Record<string, string>> });
      if (!isDatabase) return;
      this.inside(before as CloudDatabase | undefined, after as unknown as CloudDatabase, deleted);
    });
  }

  /** Asks at the end of a history, after faults have stopped and time has passed. */
  end(owner: string, expectation: { readonly left: number; readonly snapshots: number }): void {
    if (this.find(owner) !== undefined) this.broken('I11', 'the object is stuck in deletion');
    const left = this.provider.present().filter((thing) => !this.lost.has(thing.owner)).length;
    if (left !== expectation.left) this.broken('I12', `${left} databases are left, ${expectation.left} should be`);
    const secret = this.cluster.objects.list(secrets, 'default').find(({ data }) => this.isOurs(data));
    if (secret !== undefined) this.broken('I12', `the Secret ${secret.metadata.name} stays behind`);
    const { snapshots } = this.provider;
    if (snapshots.length !== expectation.snapshots || new Set(snapshots).size !== snapshots.length)
      this.broken('I12', `the final snapshots are ${snapshots.join(', ') || 'none'}, not ${expectation.snapshots}`);
    const unnamed = snapshots.find((name) => !this.provider.things.some(({ token }) => name === `final-${token}`));
    if (unnamed !== undefined)
      this.broken('I12', `the final snapshot ${unnamed} says of no database that it is its own`);
  }

  private outside({ verb, thing }: ProviderEvent): void {
    const passwords = thing.logins
      ? [...thing.logins.values()].map((login) => login.password)
      : [thing.fields['password']];
    for (const password of passwords) this.given(thing, password, verb);
    if (verb === 'create') this.made(thing);
  }

  private given(thing: KeptThing, password: unknown, verb: ProviderEvent['verb']): void {
    const isOurs = thing.owner !== '';
    if (verb !== 'delete' && password !== undefined && !isOurs)
      this.broken('import', `the imported database ${thing.id} was given a password`);
    else if (verb !== 'delete' && password !== undefined && !this.passwords.has(String(password)))
      this.broken('I22', `${thing.id} was given a password that no Secret has held`);
  }

  private made(thing: KeptThing): void {
    const { owner, token } = thing;
    const object = this.find(owner);
    const record = object?.status?.external;
    // What was announced before a restore of etcd is lost with it; the call that was on its way by then is carried out.
    const isForgotten = isOnItsWay(this.cluster);
    const isAnnounced = isForgotten || (record?.token === token && record.createAttemptedAt !== undefined);
    const isSafe = isForgotten || object?.metadata.finalizers?.includes(databaseFinalizer) === true;
    if (!isAnnounced && !this.isForged)
      this.broken('I22', `${thing.id} was made with the token ${token}, which is not durable`);
    if (!isSafe) this.broken('S0.17', `${thing.id} was made without a finalizer`);
    if (object !== undefined && !isForgotten && !this.isProtected(object))
      this.broken('I18', `${thing.id} was made with credentials that may go before it`);
    // How many there were may be lost in a restore of etcd, and with it which tokens have been used.
    const earlier = wasRestored(this.cluster)
      ? undefined
      : this.provider.things.find((other) => other !== thing && other.token === token);
    if (earlier) this.broken('I22', `${thing.id} was made with the token ${token}, which is that of ${earlier.id}`);
    this.checkAlone(thing);
  }

  private checkAlone(thing: KeptThing): void {
    const others = this.provider.of(thing.owner).filter((other) => other !== thing);
    const live = others.filter(({ deletingAt }) => deletingAt === undefined);
    if (others.length > 0 && this.unknown.explain(thing, others)) return;
    if (live.length > 0) this.broken('I24', `${thing.id} was made beside ${live.map(({ id }) => id).join(', ')}`);
    else if (others.length > 0)
      this.broken('I27', `${thing.id} was made while ${others.map(({ id }) => id).join(', ')} was being deleted`);
  }

  private inside(before: CloudDatabase | undefined, after: CloudDatabase, deleted: boolean): void {
    this.unknown.shown(after.status?.conditions);
    const had = before?.metadata.finalizers?.includes(databaseFinalizer) === true;
    const has = !deleted && after.metadata.finalizers?.includes(databaseFinalizer) === true;
    if (had && !has) this.released(after);
    if (!had && has && after.metadata.deletionTimestamp !== undefined)
      this.broken('I25', 'a finalizer came to an object that is being deleted');
    if (!deleted && !this.isForged) this.remembered(before?.status?.external, after.status?.external);
    if (!deleted && !this.isForged) this.agreed(after);
    if (before?.metadata.uid === after.metadata.uid) this.changed(before, after);
  }

  private released(database: CloudDatabase): void {
    const mark = goingWith(database);
    const owned = mark === undefined ? [] : this.provider.of(mark);
    // What was asked to be deleted before a restore of etcd is deleted, whatever the older state knows of it.
    const left = owned.filter(
      ({ deletingAt }) => deletingAt === undefined || !isFromBefore(this.cluster, deletingAt),
    ).length;
    if (left > 0) this.broken('I23', `the finalizer went while ${left} databases are still there`);
  }

  private agreed({ status }: CloudDatabase): void {
    if (mayBeMerged(this.cluster)) return;
    for (const what of contradictionsIn('CloudDatabase', status))
      this.broken('phase and conditions agree', `${what}: ${shortOf(status).join(', ')}`);
  }

  private changed(before: CloudDatabase, after: CloudDatabase): void {
    const moved = this.isForged || mayBeMerged(this.cluster) ? [] : movedTimes(timesOf(before), timesOf(after));
    for (const what of moved) this.broken('S0.23', what);
    if (before.spec.engine !== after.spec.engine)
      this.broken('S0.20', `the engine is ${after.spec.engine} now, and what was made is ${before.spec.engine}`);
  }

  private remembered(was: CloudDatabaseStatusExternal | undefined, is: CloudDatabaseStatusExternal | undefined): void {
    const isSame = is?.incarnation === was?.incarnation;
    // A status that is made of two states is not believed: in its place comes a record that a database may exist.
    if (mayBeMerged(this.cluster) && is?.createAttemptedAt !== undefined) return;
    if (was?.id !== undefined && is?.id === undefined && isSame) this.broken('I22', `the ID ${was.id} was forgotten`);
  }

  /** What was written down once may be sent, whichever client has deleted the Secret since. */
  private noted({ data }: { readonly data?: Readonly<Record<string, string>> }): void {
    for (const password of [data?.['password'], data?.['next-password']])
      if (password !== undefined) this.passwords.add(atob(password));
  }

  private isOurs(data: Readonly<Record<string, string>> | undefined): boolean {
    const password = data?.['password'];
    return password !== undefined && this.passwords.has(atob(password));
  }

  private isProtected({ spec }: CloudDatabase): boolean {
    if (spec.providerRef === undefined) return true;
    const secret = this.cluster.objects.find(secrets, 'default', spec.providerRef.name);
    return secret?.metadata.finalizers?.includes('db.example.com/in-use') === true;
  }

  private find(owner: string): CloudDatabase | undefined {
    return this.cluster.objects.list(cloudDatabases, 'default').find(({ metadata }) => metadata.uid === owner);
  }

  private broken(invariant: string, what: string): void {
    this.violations.push({ invariant, what });
  }
}

/** The owner's mark at the database that goes with this object: one that was taken over has none. Undefined where it stays. */
function goingWith({ metadata, spec: { deletionPolicy, externalName } }: CloudDatabase): string | undefined {
  const retains = deletionPolicy === 'Retain' || (deletionPolicy === undefined && externalName !== undefined);
  if (retains) return undefined;
  return externalName === undefined ? metadata.uid : '';
}

const timesOf = ({ status }: CloudDatabase): Timed => ({
  conditions: status?.conditions,
  records: [status?.external],
});
