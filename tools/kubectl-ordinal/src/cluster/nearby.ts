import type { KubernetesObject, StatefulSet } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { cleanupForLabel, ownerUidLabel } from '@ordinal/constructs';
import type { Contents } from './contents.ts';
import type { OrdinalResource } from '../kinds.ts';

/** Objects, by the UIDs of others, or by another key. What is found keeps its order. */
class Groups<T> {
  readonly #all: readonly T[];
  readonly #places = new Map<string, number[]>();

  constructor(all: readonly T[], uidsOf: (one: T) => readonly (string | undefined)[]) {
    this.#all = all;
    for (const [place, one] of all.entries())
      for (const uid of uidsOf(one)) {
        if (uid === undefined) continue;
        const places = this.#places.get(uid);
        if (places) places.push(place);
        else this.#places.set(uid, [place]);
      }
  }

  of(uids: readonly string[]): readonly T[] {
    const places = [...new Set(uids.flatMap((uid) => this.#places.get(uid) ?? []))].sort((a, b) => a - b);
    return places.flatMap((place) => this.#all[place] ?? []);
  }
}

const controllerAnd =
  (label: string) =>
  (object: KubernetesObject): readonly (string | undefined)[] => [
    controllerOf(object)?.uid,
    object.metadata.labels?.[label],
  ];

const uidsOf = (objects: readonly KubernetesObject[]): readonly string[] => objects.map(({ metadata }) => metadata.uid);

/** What the names of a set's claims have in common: all but the member's ordinal. */
const claimKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

const claimKeysOf = ({ metadata, spec }: StatefulSet): readonly string[] =>
  (spec?.volumeClaimTemplates ?? []).map((template) =>
    claimKey(metadata.namespace, `${template.metadata?.name ?? ''}-${metadata.name}`),
  );

/** For each resource the part of what was read that can belong to it: among hundreds of resources, each would look through what is of all others. Pure. */
export function nearby(contents: Contents): (resource: OrdinalResource) => Contents {
  const sets = new Groups(contents.sets, (set) => [controllerOf(set)?.uid]);
  const jobs = new Groups(contents.jobs, controllerAnd(cleanupForLabel));
  const pods = new Groups(contents.pods, controllerAnd(ownerUidLabel));
  const claims = new Groups(contents.claims, ({ metadata }) => [
    claimKey(metadata.namespace, metadata.name.replace(/-\d+$/, '')),
    metadata.labels?.[ownerUidLabel],
  ]);
  // Claims are known by their names alone: what is said of one may be of each resource.
  const events = new Groups(contents.events, ({ regarding }) => [
    regarding?.kind === 'PersistentVolumeClaim' ? 'claims' : regarding?.uid,
  ]);
  return ({ metadata }) => {
    const own = [metadata.uid];
    const its = { sets: sets.of(own), jobs: jobs.of(own) };
    const owners = [...own, ...uidsOf(its.sets), ...uidsOf(its.jobs)];
    const itsPods = pods.of(owners);
    const itsClaims = claims.of([...own, ...its.sets.flatMap(claimKeysOf)]);
    return {
      ...contents,
      ...its,
      pods: itsPods,
      claims: itsClaims,
      events: events.of(['claims', ...owners, ...uidsOf(itsPods)]),
    };
  };
}
