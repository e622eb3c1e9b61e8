import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { SimulatedCluster, TestCluster } from '@ordinal/simulator';
import { registerForeignWebhook } from '../../../libs/reconcilers/test/clustered-cache/foreign-webhook.ts';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Broken } from '../../../libs/reconcilers/test/external/broken.ts';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import * as set from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import type { DatabaseScenario } from './database-steps.ts';
import * as database from './database-steps.ts';
import { hiddenOfDatabase, hiddenOfSet } from './refusals-are-visible.ts';

const url = 'https://policy.example';

/** How long what is refused may be without a trace, in milliseconds: a minute, and an outage with the pause after it. */
const withinMs = 300_000;

/** For how long the policy refuses, in milliseconds. */
const refusedMs = 1_800_000;

/** Another owner's policy refuses to let objects of this kind be made, for good as far as the answer shows. Returns what ends that. */
async function refuseCreations(cluster: TestCluster, apiGroup: string, plural: string): Promise<() => void> {
  let isOver = false;
  cluster.external(url, ({ body }) => {
    const { uid } = readReview(body);
    const verdict = isOver
      ? ({ allowed: true } as const)
      : ({ allowed: false, code: 422, reason: 'Invalid', message: `${plural} are not wanted here` } as const);
    return { status: 200, body: JSON.stringify(reviewReply(uid, verdict)) };
  });
  const rule = { apiGroups: [apiGroup], operations: ['CREATE'], resources: [plural] };
  await registerForeignWebhook(cluster, { name: `${plural}.policy.example`, url, rule });
  return () => void (isOver = true);
}

/** What a history needs for looking at what shows. */
interface Looked {
  readonly cluster: SimulatedCluster;
  readonly events: readonly { readonly type: string }[];
  readonly hidden: () => string | undefined;
  /** Runs until something holds. */
  readonly reach: (what: string, holds: () => boolean) => Promise<void>;
}

/** The refusal shows in the condition, the gauge and an event: soon, and still half an hour later. */
async function staysVisible({ cluster, events, hidden, reach }: Looked): Promise<void> {
  const since = cluster.clock.now();
  const missing = (): string | undefined =>
    hidden() ?? (events.some(({ type }) => type === 'Warning') ? undefined : 'no event was published');
  await reach('what is refused, in condition, gauge and event', () => missing() === undefined);
  const tookMs = cluster.clock.now() - since;
  if (tookMs > withinMs) throw new Broken('visible', `what is refused shows after ${tookMs / 1000} s`);
  await cluster.advance(refusedMs);
  await reach('what is still refused', () => missing() === undefined);
  const laterMs = cluster.clock.now() - since - tookMs - refusedMs;
  if (laterMs > withinMs) throw new Broken('visible', `what is still refused shows after another ${laterMs / 1000} s`);
}

/** A set whose StatefulSet a policy refuses. */
export const refusedSet: SetScenario = {
  name: 'refused its StatefulSet by a policy for half an hour, then registered, deleted',
  left: 0,
  async run(world: SetWorld) {
    const allow = await refuseCreations(world.cluster, 'apps', 'statefulsets');
    await set.create(world);
    const { cluster, events } = world;
    const reach: Looked['reach'] = (what, holds) => set.reach(world, what, holds);
    await staysVisible({ cluster, events, hidden: () => hiddenOfSet(world), reach });
    allow();
    await set.settled(world);
    await set.remove(world);
  },
};

/** A database whose connection Secret a policy refuses. */
export const refusedDatabase: DatabaseScenario = {
  name: 'refused its Secret by a policy for half an hour, then ready, deleted',
  left: 0,
  async run(world: DatabaseWorld) {
    const allow = await refuseCreations(world.cluster, '', 'secrets');
    await database.create(world);
    const { cluster, events } = world;
    const reach: Looked['reach'] = (what, holds) => database.reach(world, what, holds);
    await staysVisible({ cluster, events, hidden: () => hiddenOfDatabase(world), reach });
    allow();
    await database.ready(world);
    await database.works(world);
    await database.remove(world);
  },
};
