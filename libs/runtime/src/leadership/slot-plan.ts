/** A slot's lease, as one replica has seen it last. */
export interface SeenSlot {
  /** Who holds it; empty where it is free. */
  readonly holder: string;
  /** Who has asked for it; empty where no one has. */
  readonly wantedBy: string;
  /** For how long it has been free by this replica's own clock, in milliseconds; 0 while it is held. */
  readonly freeMs: number;
}

/** What a replica does about a lease: takes it where it is free, asks its holder for it, or leaves it. */
export type Claim = 'take' | 'ask' | 'leave';

/** Who plans. */
export interface Planner {
  readonly identity: string;
  /** For so long a free slot is left to whom it is meant for: to who asked for it, or to replicas that have fewer. */
  readonly patienceMs: number;
}

/**
 * What a replica does about each slot, so that all replicas have the same number or nearly, and no slot moves without need. Who holds a slot or asks for one counts as a
 * replica. `undefined` stands for a lease that was not read yet.
 *
 * **Guarantees.** No slot stays free: after a while anyone takes it, however many it has.
 */
export function planSlots(slots: readonly (SeenSlot | undefined)[], planner: Planner): readonly Claim[] {
  const { identity } = planner;
  const counts = countsOf(slots, identity);
  const own = counts.get(identity) ?? 0;
  const least = Math.floor(slots.length / counts.size);
  // Of what is left over, each takes one more when all have enough.
  const isLast = [...counts.values()].every((count) => count >= least);
  const hasRoom = own < least || (isLast && own < Math.ceil(slots.length / counts.size));
  const claims = slots.map((slot): Claim => {
    if (slot === undefined) return 'leave';
    if (slot.holder !== '') return slot.holder === identity ? 'take' : 'leave';
    return slot.wantedBy === identity || isMine(slot, hasRoom, planner) ? 'take' : 'leave';
  });
  const free = slots.filter((slot) => slot?.holder === '' && slot.wantedBy !== identity).length;
  const lacks = least - own - free;
  for (const slot of toAskFor(slots, counts, { identity, lacks })) claims[slot] = 'ask';
  return claims;
}

/** How many slots each replica has, or will have when it gets what it has asked for. */
function countsOf(slots: readonly (SeenSlot | undefined)[], identity: string): Map<string, number> {
  const counts = new Map([[identity, 0]]);
  for (const slot of slots) {
    const owner = slot?.wantedBy === '' ? slot.holder : slot?.wantedBy;
    if (owner !== undefined && owner !== '') counts.set(owner, (counts.get(owner) ?? 0) + 1);
    if (slot !== undefined && slot.holder !== '' && !counts.has(slot.holder)) counts.set(slot.holder, 0);
  }
  return counts;
}

function isMine({ wantedBy, freeMs }: SeenSlot, hasRoom: boolean, { patienceMs }: Planner): boolean {
  return freeMs >= patienceMs || (hasRoom && wantedBy === '');
}

/** So many slots of others, each of one that has the most then, and has more than the asking replica will. */
function toAskFor(
  slots: readonly (SeenSlot | undefined)[],
  counts: Map<string, number>,
  { identity, lacks }: { readonly identity: string; readonly lacks: number },
): readonly number[] {
  const asked: number[] = [];
  const have = new Map(counts);
  while (asked.length < lacks) {
    const candidates = slots.flatMap((slot, index) =>
      slot === undefined || ['', identity].includes(slot.holder) || slot.wantedBy !== '' || asked.includes(index)
        ? []
        : [{ index, holder: slot.holder, count: have.get(slot.holder) ?? 0 }],
    );
    const [first, ...others] = candidates;
    if (first === undefined) return asked;
    const best = others.reduce((found, one) => (one.count > found.count ? one : found), first);
    if (best.count <= (have.get(identity) ?? 0) + 1) return asked;
    asked.push(best.index);
    have.set(best.holder, best.count - 1);
    have.set(identity, (have.get(identity) ?? 0) + 1);
  }
  return asked;
}
