import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import { create, reach, remove, roll, settled, until } from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import { registerAudit } from '../faults/drain.ts';
import { reportedBypass } from './set-bypass-invariants.ts';
import { gates, three, upgraded } from './set-upgrade-scenarios.ts';

const members = ({ cluster }: SetWorld): readonly Pod[] =>
  cluster.objects.list(pods, 'team').filter(({ metadata }) => metadata.labels?.['app'] === 'db');

const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** How often a drain tries at the most, and how long it waits in between, in milliseconds. */
interface Tries {
  readonly tries: number;
  readonly pauseMs: number;
}

/** Evicts and deletes these members, in turn. One that may not go yet is tried again. */
async function drain(world: SetWorld, uids: ReadonlySet<string>, { tries, pauseMs }: Tries): Promise<void> {
  const { cluster } = world;
  const client = cluster.client();
  const left = (): readonly Pod[] => members(world).filter((pod) => uids.has(pod.metadata.uid) && !isEnding(pod));
  const take = ({ metadata: { name, uid } }: Pod, place: number): Promise<unknown> =>
    place % 2 === 0
      ? client.pods.evict({ namespace: 'team', pod: name })
      : client(pods).namespace('team').delete(name, { preconditions: { uid } });
  for (let round = 0; round < tries && left().length > 0; round += 1) {
    await cluster.play(() => Promise.all(left().map((pod, place) => take(pod, place).catch(() => undefined))));
    await cluster.advance(pauseMs);
  }
}

const uidsOf = (world: SetWorld): ReadonlySet<string> => new Set(members(world).map(({ metadata }) => metadata.uid));

/** The node of a member. */
function nodeOf(world: SetWorld, name: string): ReturnType<SetWorld['cluster']['node']> {
  const member = members(world).find(({ metadata }) => metadata.name === name);
  return world.cluster.node(member?.spec.nodeName ?? 'node-1');
}

/** No gate is asked any more: the webhooks are gone. */
const unregister = ({ cluster }: SetWorld): Promise<unknown> =>
  cluster
    .client()
    .request('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ordinal-operator');

/** Sets whose pods the operator replaces, and other clients delete; and nodes that fail. */
export const drainScenarios: readonly SetScenario[] = [
  {
    name: 'upgraded while other clients drain its nodes and one of them fails, deleted',
    left: 0,
    isUpgraded: true,
    isDrained: true,
    async run(world) {
      await registerAudit(world.cluster);
      await create(world, three({ gates }));
      await settled(world);
      world.gate.isOpen = false;
      await roll(world, 'app:2');
      const uids = uidsOf(world);
      await drain(world, uids, { tries: 6, pauseMs: 5_000 });
      world.gate.isOpen = true;
      await drain(world, uids, { tries: 30, pauseMs: 400 });
      const node = nodeOf(world, 'db-0');
      node.fail('power');
      await drain(world, uids, { tries: 12, pauseMs: 5_000 });
      node.recover();
      await drain(world, uids, { tries: 40, pauseMs: 5_000 });
      await upgraded(world, 'app:2 app:2 app:2');
      await remove(world);
    },
  },
  {
    name: 'upgraded with its leader last while the leader’s node fails, deleted',
    left: 0,
    isUpgraded: true,
    isDrained: true,
    async run(world) {
      world.gate.leader = 'db-2';
      const role = { leaderValue: 'leader', http: { path: '/role', port: 80 } };
      await create(world, three({ gates, order: 'LeaderLast', role }));
      await settled(world);
      await roll(world, 'app:2');
      await world.cluster.advance(20_000);
      const node = nodeOf(world, 'db-2');
      node.fail('power');
      await world.cluster.advance(60_000);
      node.recover();
      await upgraded(world, 'app:2 app:2 app:2');
      await remove(world);
    },
  },
  {
    name: 'deleted below by another client past a closed gate, where no webhook is registered, deleted',
    left: 0,
    isDrained: true,
    bypassed: ['db-1'],
    async run(world) {
      // It ends slowly enough that an operator that restarts meanwhile sees it end.
      world.cluster.image('app:1', { startsIn: 3_000, stopsIn: 28_000, http: () => (world.gate.isOpen ? 200 : 503) });
      await create(world, three({ gates }));
      await settled(world);
      world.gate.isOpen = false;
      await unregister(world);
      await world.cluster.client()(pods).namespace('team').delete('db-1');
      const isReported = (message = ''): boolean => message.includes('db-1');
      await until(world, 'the report', (set) => isReported(reportedBypass(set)) || wasRestored(world.cluster));
      world.gate.isOpen = true;
      await reach(world, 'three members', () => members(world).length === 3);
      await settled(world);
      await remove(world);
    },
  },
];
