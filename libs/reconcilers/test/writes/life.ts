import type { ResourceDescriptor } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import { expect } from 'vitest';
import { Ledger } from './ledger.ts';

type Plural = Pick<ResourceDescriptor, 'plural'>;

/** One step of a life: what the user does, when it is over, and what that may cost. */
export interface Step {
  readonly step: string;
  readonly act: (cluster: SimulatedCluster) => Promise<unknown>;
  readonly isOver: (cluster: SimulatedCluster) => boolean;
  /** The least that it takes. */
  readonly writes: Readonly<Record<string, number>>;
  /** How many different things there are to say on the way, each once; two that happen at once are said at once. */
  readonly statuses: number;
}

/** The least that a creation takes: the finalizer, and each child once. */
export const creationWrites = ({ plural }: Plural): Step['writes'] => ({
  'apply poddisruptionbudgets': 1,
  'apply services': 2,
  'apply statefulsets': 1,
  [`patch ${plural}`]: 1,
});

/** Lives a resource's life through, each of its steps two virtual hours at most: every one costs the least that it takes, and no write is in vain. */
export async function liveThrough(
  steps: readonly Step[],
  { cluster, operator }: { readonly cluster: SimulatedCluster; readonly operator: Operator },
  resource: Plural,
): Promise<void> {
  const ledger = new Ledger(cluster, operator.user.name, resource);
  for (const { step, act, isOver, writes, statuses } of steps) {
    await act(cluster);
    await cluster.advance(1000); // Until it is seen.
    expect(await cluster.run({ until: () => isOver(cluster), maxVirtualMs: 7_200_000 }), step).toBe('reached');
    await cluster.settle();
    const taken = ledger.take();
    expect({ step, ...taken }).toEqual({ step, writes, statuses });
  }
  expect(ledger.inVain).toEqual([]);
  cluster.stop();
}
