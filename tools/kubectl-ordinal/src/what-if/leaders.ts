import type { Pod } from '@ordinal/client';
import { controllerOf, pods } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import type { MemberAnswer } from '../checks/ask-members.ts';
import { roleLabelOf, roleOf } from '../checks/checks.ts';
import { isReady } from '../checks/is-ready.ts';

/** How long members take to elect another leader, in milliseconds. */
const electionMs = 1_000;

/** Who leads at first, and what says so. */
export interface FirstLeader {
  /** Undefined: none does. */
  readonly name: string | undefined;
  readonly as: string;
}

/** What is known of leaders. */
export interface KnownOfLeaders {
  readonly behaviour: { readonly leader?: string | undefined };
  readonly pods: ReadonlyMap<string, Pod>;
  readonly answers: readonly MemberAnswer[];
}

/** Whether a pod is a member of a resource: its StatefulSet has the same name. */
export const isMemberOf = ({ metadata }: OrdinalResource, pod: Pod): boolean => {
  const owner = controllerOf(pod);
  return owner?.kind === 'StatefulSet' && owner.name === metadata.name;
};

/** Who leads when the change is made: as the user says, as the pods' labels show, or as the members answer. Undefined where none of them says anything. Pure. */
export function firstLeader(resource: OrdinalResource, known: KnownOfLeaders): FirstLeader | undefined {
  const { behaviour, pods: seen, answers } = known;
  const role = roleOf(resource);
  if (!role) return undefined;
  const { leader: said } = behaviour;
  if (said !== undefined) return { name: said === 'none' ? undefined : said, as: '--members-behave says' };
  const { label, leader } = role;
  if (label !== undefined) {
    const members = [...seen.values()].filter((pod) => isMemberOf(resource, pod) && isReady(pod));
    const name = members.find(({ metadata }) => metadata.labels?.[label] === leader)?.metadata.name;
    return members.length === 0 ? undefined : { name, as: `the label ${label} of the pods shows now` };
  }
  const words = answers.filter(
    ({ of, check, said: reply }) => of === resource.metadata.name && check.role === 'role' && reply?.answer.ok,
  );
  const leads = words.find(({ said: reply }) => reply?.answer.word?.toLowerCase() === leader.toLowerCase());
  return words.length === 0 ? undefined : { name: leads?.member, as: 'the members say now' };
}

/** Who leads, where a resource knows leaders: who does at first, or the first member where that is not known; after that one goes, the next that is ready. Where none leads at first, none ever does. */
export class Leaders {
  readonly #cluster: TestCluster;
  readonly #known: KnownOfLeaders;
  readonly #leaders = new Map<string, string>();

  constructor(
    cluster: TestCluster,
    known: KnownOfLeaders,
    resourceNamed: (name: string, namespace: string) => OrdinalResource | undefined,
  ) {
    this.#cluster = cluster;
    this.#known = known;
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
    const first = firstLeader(resource, this.#known);
    if (first && first.name === undefined) return undefined;
    const ready = this.#members(resource).filter(isReady);
    const key = `${namespace}/${name}`;
    const known = this.#leaders.get(key) ?? first?.name;
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

  #members(resource: OrdinalResource): readonly Pod[] {
    const all = this.#cluster.objects.list(pods, resource.metadata.namespace ?? '');
    return all.filter((pod) => isMemberOf(resource, pod));
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
