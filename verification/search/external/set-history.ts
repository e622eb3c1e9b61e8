import type { MonitoredStatefulSet } from '@ordinal/api';
import { watchInvariants } from '@ordinal/explorer';
import type { Instant } from '@ordinal/client';
import { namespaces } from '@ordinal/client';
import {
  monitoredSetFinalizer,
  monitoredStatefulSetMetrics,
} from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import type { Violation } from './database-invariants.ts';
import { hiddenFailure } from '../oracles/failed-jobs-are-visible.ts';
import { contradictionsIn, shortOf } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';
import { injectFaults } from './fault.ts';
import type { HistoryPlan, HistoryResult } from './history.ts';
import { playToItsEnd, profiles } from './history.ts';
import type { ProviderEvent, KeptThing } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import { patientUser } from './patient-user.ts';
import { mayBeMerged, onItsWayMs, wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import { LostRegistrations } from './lost-registrations.ts';
import { watchMonitors } from './refusals-are-visible.ts';
import { operator as operatorUser } from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { alias, endpoints, setNow, setWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import type { Timed } from './times-stay.ts';
import { movedTimes } from './times-stay.ts';
import { setInvariants } from './set-invariants.ts';
import { watchBypasses } from './set-bypass-invariants.ts';
import { watchUpgrades } from './set-upgrade-invariants.ts';
import { UnknownRestores } from './unknown-restores.ts';

/** Runs one history of a MonitoredStatefulSet to its end. */
export async function runSetHistory(plan: HistoryPlan<SetScenario>): Promise<HistoryResult> {
  const { scenario, profile, faults, seed, instead } = plan;
  const { isForged = false, isBlind = false, hasAlias = false, isDrained = false } = scenario;
  const world = await setWorld(
    seed,
    { ...profiles[profile], ...(isBlind ? { tokens: true, deleteMs: 0 } : {}) },
    { ...(isDrained && { isGated: true, isRefusing: true, nodes: 3 }), ...(instead && { instead }) },
  );
  if (isBlind) for (const provider of world.providers) provider.refused.set('GET', 405).set('PATCH', 405);
  const { cluster, providers, operator } = world;
  const user = patientUser(cluster);
  const violations: Violation[] = [];
  const fired: HistoryResult['fired'][number][] = [];
  const broken = (invariant: string, what: string): void => void violations.push({ invariant, what });
  const lost = new LostRegistrations(world);
  const unknown = new UnknownRestores(world);
  const left = (): number => lost.but(0).length + lost.but(1).length;
  let gone: LostState | undefined;
  const restsOn = (): MonitoredStatefulSet | undefined =>
    gone && cluster.clock.now() <= gone.at + onItsWayMs ? gone.set : setNow(cluster, 'db');
  providers.forEach((provider, index) =>
    provider.watch((event) =>
      checkOutside(event, world, index, { broken, isForged, isUnsure: hasAlias || isBlind, lost, unknown, restsOn }),
    ),
  );
  watchMonitors(world, (what) => (wasRestored(cluster) ? undefined : broken('visible', what)));
  const stop = cluster.server.store.subscribe((change) => {
    const { kind, before, after, deleted, restored } = change;
    if (kind !== 'monitoredstatefulsets.statefulsets.example.com') return;
    lost.note(change);
    // After a restore the store is back at an earlier state, and no client has written the differences.
    if (restored === true) {
      gone = { set: before as MonitoredStatefulSet | undefined, at: cluster.clock.now() };
      return;
    }
    // The store holds what the API server has validated.
    unknown.shown((after as unknown as MonitoredStatefulSet).status?.conditions);
    checkInside(
      before as MonitoredStatefulSet | undefined,
      deleted ? undefined : (after as unknown as MonitoredStatefulSet),
      world,
      { broken, left, isForged },
    );
    if (!deleted && !isForged && !mayBeMerged(cluster))
      checkAgreement(after as unknown as MonitoredStatefulSet, broken);
    if (!deleted && !isForged)
      checkFailures(before as MonitoredStatefulSet | undefined, after as unknown as MonitoredStatefulSet, broken);
  });
  const unwatch = scenario.isUpgraded === true ? watchUpgrades(world, broken, isTimed(faults)) : (): void => undefined;
  const watched = watchInvariants(cluster, setInvariants, new Set([operatorUser]));
  const unwatchBypasses = isDrained ? watchBypasses(world, broken, scenario.bypassed ?? []) : (): void => undefined;
  const injected = injectFaults({ cluster, operator, holdUser: user.hold }, faults, (fault, { target }) => {
    if (fault.effect === 'deny') providers[target.startsWith(endpoints[1]) ? 1 : 0].deny();
    const set = setNow(cluster, 'db');
    const leaving = set?.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    const reason = set?.status?.conditions?.find(({ type }) => type === 'MonitorRegistered')?.reason ?? '-';
    fired.push({
      fault,
      state: `${leaving}${set?.status?.phase ?? 'new'}/${reason}/${providers[0].present().length}+${providers[1].present().length}`,
    });
  });
  const end = (): void => {
    stop();
    unwatch();
    unwatchBypasses();
    watched.stop();
    for (const { oracle, message } of watched.violations) broken(oracle, message);
  };
  return playToItsEnd(plan, { cluster, violations, fired, injected, stop: end }, async () => {
    await scenario.run({ ...world, cluster: user.cluster });
    await user.cluster.advance(120_000);
    if (setNow(cluster, 'db') !== undefined) broken('I11', 'the object is stuck in deletion');
    if (left() !== scenario.left) broken('I12', `${left()} registrations are left, ${scenario.left} should be`);
  });
}

/** The set when etcd was restored, and when that was. */
interface LostState {
  readonly set: MonitoredStatefulSet | undefined;
  readonly at: Instant;
}

/** Whether the operator’s clock is right throughout. */
const isTimed = (faults: HistoryPlan<SetScenario>['faults']): boolean =>
  faults.every(({ effect }) => effect !== 'clock');

/** Whether the set’s status has an entry at this endpoint with this token. */
const isRecorded = (set: MonitoredStatefulSet | undefined, endpoint: string | undefined, token: string): boolean =>
  set?.status?.registrations?.find((record) => record.endpoint === endpoint)?.token === token;

type Broken = (invariant: string, what: string) => void;

function checkOutside(
  { verb, thing }: ProviderEvent,
  { cluster, providers }: SetWorld,
  index: number,
  {
    broken,
    isForged,
    isUnsure,
    lost,
    unknown,
    restsOn,
  }: {
    readonly broken: Broken;
    readonly isForged: boolean;
    /** Whether a restore can leave a monitor's replies to say less than what it holds. */
    readonly isUnsure: boolean;
    readonly lost: LostRegistrations;
    readonly unknown: UnknownRestores;
    /** The set as the operator has written it for this call: one that is on its way when etcd is restored is carried out, and rests on what is lost. */
    readonly restsOn: () => MonitoredStatefulSet | undefined;
  },
): void {
  const set = restsOn();
  if (verb === 'create') {
    const urls = index === 0 ? [endpoints[0], alias] : [endpoints[1]];
    if (!isForged && !urls.some((url) => isRecorded(set, url, thing.token)))
      broken('I22', `${thing.id} was made with the token ${thing.token}, which is not durable`);
    if (set?.metadata.finalizers?.includes(monitoredSetFinalizer) !== true)
      broken('S0.17', `${thing.id} was made without a finalizer`);
    // What is recorded at another URL goes as soon as this one is seen, should both be URLs of one service.
    const isElsewhere = ({ token }: KeptThing): boolean =>
      token !== thing.token && set?.status?.registrations?.some((record) => record.token === token) === true;
    const isAnother = (other: KeptThing): boolean => other.owner === thing.owner && other !== thing;
    const others = lost.but(index).filter((other) => isAnother(other) && !isElsewhere(other));
    if (others.length > 0 && unknown.explain(thing, others)) return;
    if (others.some(({ deletingAt }) => deletingAt === undefined)) broken('I24', `${thing.id} was made beside another`);
    else if (others.length > 0) broken('I27', `${thing.id} was made while another was being deleted`);
  }
  const mayDelete = (isUnsure && wasRestored(cluster)) || set?.metadata.deletionTimestamp !== undefined;
  if (verb === 'delete' && !mayDelete) checkRegistered(thing, providers, broken);
}

/** While one registration goes, there has to be another one. */
function checkRegistered(thing: KeptThing, providers: SetWorld['providers'], broken: Broken): void {
  const elsewhere = providers
    .flatMap((provider) => provider.of(thing.owner))
    .filter(({ deletingAt }) => deletingAt === undefined);
  if (elsewhere.length === 0) broken('gap', `${thing.id} was removed while the set was registered nowhere else`);
}

function checkInside(
  before: MonitoredStatefulSet | undefined,
  after: MonitoredStatefulSet | undefined,
  world: SetWorld,
  { broken, left, isForged }: { readonly broken: Broken; readonly left: () => number; readonly isForged: boolean },
): void {
  const had = before?.metadata.finalizers?.includes(monitoredSetFinalizer) === true;
  const has = after?.metadata.finalizers?.includes(monitoredSetFinalizer) === true;
  if (had && !has && left() > 0 && before.spec.deletionPolicy === 'Delete')
    broken('I23', `the finalizer went while ${left()} registrations are still there`);
  if (had && !has && !isCleaned(before, world))
    broken('S0.13', 'the finalizer went although no clean-up Job has succeeded');
  if (before !== undefined && after !== undefined && !isForged && !mayBeMerged(world.cluster))
    for (const what of movedTimes(timesOf(before), timesOf(after))) broken('S0.23', what);
  if (!had && has && after.metadata.deletionTimestamp !== undefined)
    broken('I25', 'a finalizer came to an object that is being deleted');
}

function checkAgreement({ status }: MonitoredStatefulSet, broken: Broken): void {
  for (const what of contradictionsIn('MonitoredStatefulSet', status))
    broken('phase and conditions agree', `${what}: ${shortOf(status).join(', ')}`);
}

/** A clean-up Job that has failed shows with the write that records it. */
function checkFailures(before: MonitoredStatefulSet | undefined, after: MonitoredStatefulSet, broken: Broken): void {
  const gauges = () => monitoredStatefulSetMetrics([after], 0);
  const hidden = hiddenFailure({ gauges }, { before, after }, 0);
  if (hidden !== undefined) broken('visible', hidden);
}

/** Whether what the set's clean-up runs has succeeded, or there is none: in a namespace that is being deleted no Job can be made. */
function isCleaned({ spec }: MonitoredStatefulSet, { cluster, cleanup }: SetWorld): boolean {
  const place = cluster.objects.find(namespaces, '', 'team');
  return spec.cleanup !== 'Job' || place?.metadata.deletionTimestamp !== undefined || cleanup.successes > 0;
}

const timesOf = ({ status }: MonitoredStatefulSet): Timed => ({
  conditions: status?.conditions,
  records: status?.registrations ?? [],
});
