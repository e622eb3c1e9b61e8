import { databaseNow, databaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { DatabaseInvariants } from './database-invariants.ts';
import type { DatabaseScenario } from './database-steps.ts';
import { injectFaults } from './fault.ts';
import type { Fault } from './fault.ts';
import type { HistoryPlan, HistoryResult } from './history.ts';
import { playToItsEnd, profiles } from './history.ts';
import { patientUser } from './patient-user.ts';
import { watchProviders } from './refusals-are-visible.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';

/** Runs one history of a CloudDatabase to its end. */
export async function runHistory(plan: HistoryPlan<DatabaseScenario>): Promise<HistoryResult> {
  const { scenario, profile, faults, seed, instead } = plan;
  const world = await databaseWorld(seed, profiles[profile], {
    rules: scenario.rules ?? false,
    ...(instead && { instead }),
  });
  const { cluster, provider, operator } = world;
  const user = patientUser(cluster);
  const invariants = new DatabaseInvariants(world, { isForged: scenario.isForged ?? false });
  const fired: HistoryResult['fired'][number][] = [];
  let owner = '';
  const note = (fault: Fault): void => {
    if (fault.effect === 'deny') provider.deny();
    const object = databaseNow(cluster, 'orders');
    const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason ?? '-';
    const outside = provider
      .of(owner)
      .map(({ deletingAt }) => (deletingAt === undefined ? 'live' : 'going'))
      .join('+');
    const leaving = object?.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    fired.push({ fault, state: `${leaving}${object?.status?.phase ?? 'new'}/${synced}/${outside || 'none'}` });
  };
  const isPossible = ({ effect }: Fault): boolean =>
    !(effect === 'deny' && scenario.isShown === true) && !(effect === 'restore' && scenario.isUnrepeatable === true);
  const possible = faults.filter(isPossible);
  const injected = injectFaults({ cluster, operator, holdUser: user.hold }, possible, note);
  const stop = cluster.server.store.subscribe(({ kind, after }) => {
    if (owner === '' && kind === 'clouddatabases.db.example.com')
      owner = (after as { metadata: { uid: string } }).metadata.uid;
  });
  const { violations } = invariants;
  const noted = (what: string): void => {
    if (!wasRestored(cluster)) violations.push({ invariant: 'visible', what });
  };
  watchProviders(world, noted);
  return playToItsEnd(plan, { cluster, violations, fired, injected, stop }, async () => {
    await scenario.run({ ...world, cluster: user.cluster });
    // Whatever is still on its way arrives, and lies have short legs.
    await user.cluster.advance(120_000);
    invariants.end(owner, { left: scenario.left, snapshots: scenario.snapshots ?? 0 });
  });
}
