import type { Pod } from '@ordinal/client';
import { controllerOf, pods } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { roleLabelOf } from './checks.ts';
import { isReady } from './is-ready.ts';

/** How long members take to elect another leader, in milliseconds. */
const electionMs = 1_000;

/** Who leads, where a resource knows leaders: the label of the pods as it was read, or the first member; after that one goes, the next that is ready. */
export class Leaders {
  readonly #cluster: TestCluster;
  readonly #said: string | undefined;
  readonly #leaders = new Map<string, string>();

  constructor(
    cluster: TestCluster,
    said: string | undefined,
    resourceNamed: (name: string, namespace: string) => OrdinalResource | undefined,
  ) {
    this.#cluster = cluster;
    this.#said = said;
    cluster.server.store.subscribe(({ kind, after }) => {
      const set = kind === 'pods' ? controllerOf(after) : undefined;
      if (set?.kind !== 'StatefulSet') return;
      const resource = resourceNamed(set.name, after.metadata.namespace ?? '');
      if (resource && roleLabelOf(resource))
        cluster.scheduler.schedule(electionMs, 'election', () => void this.of(resource));
    });
  }

  /** The member that leads now: undefined where none is ready, or none is to lead. */
  of(resource: OrdinalResource): string | undefined {
    const { namespace = '', name } = resource.metadata;
    if (this.#said === 'none') return undefined;
    const ready = this.#members(resource).filter(isReady);
    const key = `${namespace}/${name}`;
    const known = this.#leaders.get(key) ?? this.#first(resource);
    const leader = ready.find((pod) => pod.metadata.name === known) ?? ready[0];
    if (leader === undefined) return undefined;
    this.#lead(resource, leader.metadata.name);
    return leader.metadata.name;
  }

  /** The member gives its role to the next one. */
  handOff(resource: OrdinalResource, from: string): void {
    if (this.of(resource) !== from) return;
    const next = this.#members(resource).find((pod) => isReady(pod) && pod.metadata.name !== from);
    if (next) this.#lead(resource, next.metadata.name);
  }

  #members({ metadata }: OrdinalResource): readonly Pod[] {
    const all = this.#cluster.objects.list(pods, metadata.namespace ?? '');
    return all.filter((pod) => controllerOf(pod)?.kind === 'StatefulSet' && controllerOf(pod)?.name === metadata.name);
  }

  /** Who is said to lead, or has the label of a leader. */
  #first(resource: OrdinalResource): string | undefined {
    const role = roleLabelOf(resource);
    const marked = this.#members(resource).find((pod) => role && pod.metadata.labels?.[role.label] === role.leader);
    return this.#said ?? marked?.metadata.name;
  }

  /** The members' software says who leads by a label, where the spec reads one. */
  #lead(resource: OrdinalResource, leader: string): void {
    const { namespace = '', name } = resource.metadata;
    this.#leaders.set(`${namespace}/${name}`, leader);
    const role = roleLabelOf(resource);
    if (!role) return;
    const client = this.#cluster.client()(pods).namespace(namespace);
    for (const pod of this.#members(resource)) {
      const wanted = pod.metadata.name === leader ? role.leader : 'follower';
      if (pod.metadata.deletionTimestamp !== undefined || pod.metadata.labels?.[role.label] === wanted) continue;
      const body = { metadata: { labels: { [role.label]: wanted } } };
      // It may be gone meanwhile.
      client.patch(pod.metadata.name, { type: 'merge', body }).catch(() => undefined);
    }
  }
}
