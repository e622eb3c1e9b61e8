import type { KubernetesObject } from '@ordinal/client';
import type { Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

/** An object whose status a user forges. */
export interface ForgedKind {
  /** The object as it is now. */
  readonly now: (cluster: TestCluster) => (KubernetesObject & { readonly status?: object }) | undefined;
  /** Writes its status as a whole. */
  readonly write: (cluster: TestCluster, status: object) => Promise<unknown>;
  /** What is written, by what it is in words: made from the object as it is. */
  readonly lies: Readonly<Record<string, Lie>>;
}

/** What a user writes as the status of an object that is as it stands there. */
type Lie = (object: KubernetesObject & { readonly status?: object }, cluster: TestCluster) => object;

const earlier = new WeakMap<TestCluster, (KubernetesObject & { readonly status?: object })[]>();

/** Keeps what the statuses of a kind (`PLURAL.GROUP`) have been in a history, for a user who brings them back. To be called before anything moves. */
export function rememberStatuses(cluster: TestCluster, kind: string): void {
  const seen: (KubernetesObject & { readonly status?: object })[] = [];
  earlier.set(cluster, seen);
  cluster.server.store.subscribe(({ kind: of, after }) => {
    if (of === kind) seen.push(after as unknown as KubernetesObject); // The store holds what the API server has validated.
  });
}

/** The status that the operator had written when half of all was done. */
const anEarlierOne: Lie = ({ metadata, status }, cluster) => {
  const own = (earlier.get(cluster) ?? []).filter((object) => object.metadata.uid === metadata.uid);
  return own[Math.floor(own.length / 2)]?.status ?? status ?? {};
};

/** The first status that the operator had sealed. */
export const firstStatusPutBack: Lie = ({ metadata, status }, cluster) => {
  const isOwn = (object: KubernetesObject & { readonly status?: object & { readonly seal?: string } }): boolean =>
    object.metadata.uid === metadata.uid && object.status?.seal !== undefined;
  return (earlier.get(cluster) ?? []).find(isOwn)?.status ?? status ?? {};
};

/**
 * What a user who may write statuses and nothing else may do at any time: empty them, bring back an earlier one, take out the seal, or write into them what is of
 * use to them.
 */
export function forgeries({ now, write, lies }: ForgedKind): NonNullable<Scenario['actions']> {
  const common: ForgedKind['lies'] = {
    'what stood there before': anEarlierOne,
    'nothing at all': () => ({}),
    'what stands there, without its seal': ({ status }) => ({ ...status, seal: undefined }),
    'what stands there, with the seal of another object': ({ status }) => ({ ...status, seal: 'A'.repeat(43) }),
  };
  return Object.fromEntries(
    Object.entries({ ...common, ...lies }).map(([what, lie]) => [
      `write into the status ${what}`,
      async (cluster: TestCluster) => {
        const object = now(cluster);
        if (object) await write(cluster, lie(object, cluster));
      },
    ]),
  );
}
