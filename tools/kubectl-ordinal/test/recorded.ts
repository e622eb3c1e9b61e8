import { clusteredCaches } from '@ordinal/api';
import { pods } from '@ordinal/client';
import type { Fault, Scenario } from '@ordinal/explorer';
import { recordHistory } from '@ordinal/explorer';
import { outsideOf, simulatedOperator } from '../src/what-if/operator.ts';
import { crds } from './plugin-world.ts';
import { cache, isReady } from './resources.ts';

const scenario: Scenario = {
  name: 'a cache is made',
  cluster: { crds, namespaces: ['shop'] },
  operator: simulatedOperator(outsideOf({ resources: [], providers: [], monitors: [], refusals: new Map() })),
  setUp: async (cluster) => {
    cluster.image('cache:1', { startsIn: 2_000, http: () => 200 });
    await cluster.client()(clusteredCaches).namespace('shop').create(cache());
  },
  isDone: (cluster) => isReady(cluster.objects.find(clusteredCaches, 'shop', 'sessions')),
};

/** What is wrong with a history in which a third member is made: so that one ends with something to find. */
const atMostTwo = {
  name: 'there are at most two members',
  afterChange: (
    _: unknown,
    {
      kind,
      type,
      object,
    }: {
      readonly kind: string;
      readonly type: string;
      readonly object: { readonly metadata: { readonly name: string } };
    },
  ) =>
    kind === 'pods' && type === 'ADDED' && object.metadata.name === 'sessions-2' ? 'sessions-2 is made' : undefined,
};

/** A recorded history of a cache that is made while the operator crashes, in which something is found. */
export async function recordedHistory() {
  const faults: readonly Fault[] = [{ fault: 'crash', at: { when: 'after', write: 3 } }];
  const { outcome, recorded } = await recordHistory({ scenario, oracles: [atMostTwo], seed: 1, faults });
  return { recorded, members: outcome.cluster.objects.list(pods, 'shop') };
}
