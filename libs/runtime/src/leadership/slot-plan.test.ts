import { describe, expect, it } from 'vitest';
import { planSlots } from './slot-plan.ts';
import type { Claim, SeenSlot } from './slot-plan.ts';

const held = (holder: string, wantedBy = ''): SeenSlot => ({ holder, wantedBy, freeMs: 0 });
const free = (freeMs = 0, wantedBy = ''): SeenSlot => ({ holder: '', wantedBy, freeMs });
const plan = (identity: string, ...slots: (SeenSlot | undefined)[]): readonly Claim[] =>
  planSlots(slots, { identity, patienceMs: 15_000 });

describe('a replica', () => {
  it('takes all where it is alone', () => {
    expect(plan('a', free(), free(), held('a'))).toEqual(['take', 'take', 'take']);
  });

  it('leaves what it has not read', () => {
    expect(plan('a', undefined, free())).toEqual(['leave', 'take']);
  });

  it('that is new asks for half of what the only other one has', () => {
    const claims = plan('b', held('a'), held('a'), held('a'), held('a'));
    expect(claims.filter((claim) => claim === 'ask')).toHaveLength(2);
  });

  it('asks for no more than it lacks, counting what it has asked for already', () => {
    expect(plan('b', held('a', 'b'), held('a'), held('a'), held('a')).filter((claim) => claim === 'ask')).toHaveLength(
      1,
    );
    expect(plan('b', held('a', 'b'), held('a', 'b'), held('a'), held('a'))).not.toContain('ask');
  });

  it('asks those that have the most', () => {
    const claims = plan('c', held('a'), held('a'), held('a'), held('a'), held('b'), held('b'));
    expect(claims.slice(0, 4).filter((claim) => claim === 'ask')).toHaveLength(2);
    expect(claims.slice(4)).toEqual(['leave', 'leave']);
  });

  it('asks for nothing while the difference is one', () => {
    expect(plan('b', held('a'), held('a'), held('b'))).toEqual(['leave', 'leave', 'take']);
  });

  it('asks for nothing that some free slot makes up for', () => {
    expect(plan('b', held('a'), held('a'), free(), free())).toEqual(['leave', 'leave', 'take', 'take']);
  });

  it('leaves a slot that was given up for another one, and takes it after a while', () => {
    expect(plan('a', held('a'), free(0, 'b'))).toEqual(['take', 'leave']);
    expect(plan('b', held('a'), free(0, 'b'))).toEqual(['leave', 'take']);
    expect(plan('a', held('a'), free(15_000, 'b'))).toEqual(['take', 'take']);
  });

  it('that has its share leaves a free slot to others, and takes it where no one comes', () => {
    expect(plan('a', held('a'), held('a'), free(), held('b'))).toEqual(['take', 'take', 'leave', 'leave']);
    expect(plan('a', held('a'), held('a'), free(15_000), held('b'))).toEqual(['take', 'take', 'take', 'leave']);
  });
});

describe('replicas that follow their plans', () => {
  /** All of them look at each slot in turn until none changes anything. One that was asked for is given up at once. */
  const settle = (slots: SeenSlot[], replicas: readonly string[]): { readonly moves: number } => {
    for (let moves = 0, round = 0; ; round += 1) {
      const before = JSON.stringify(slots);
      for (const identity of replicas) {
        for (const index of slots.keys()) {
          const claim = planSlots(slots, { identity, patienceMs: 15_000 })[index];
          if (claim === 'take' && slots[index]?.holder !== identity) {
            slots[index] = held(identity);
            moves += 1;
          }
          if (claim === 'ask') slots[index] = free(0, identity);
        }
      }
      if (JSON.stringify(slots) === before) return { moves };
      if (round > 100) throw new Error('they never come to rest');
    }
  };
  const counts = (slots: readonly SeenSlot[]): number[] =>
    [...Map.groupBy(slots, ({ holder }) => holder).values()].map((all) => all.length).toSorted((a, b) => a - b);

  it.each([1, 2, 3, 4, 5, 7, 16])('come to rest with the same number or nearly: %i', (count) => {
    const replicas = Array.from({ length: count }, (_, index) => `r${index}`);
    const slots = Array.from({ length: 16 }, () => free());
    settle(slots, ['r0']);
    settle(slots, replicas);
    const all = counts(slots);
    expect(all).toHaveLength(count);
    expect((all.at(-1) ?? 0) - (all[0] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('move no more slots than a new replica needs, and only those of one that is gone', () => {
    const slots = Array.from({ length: 16 }, () => free());
    settle(slots, ['a', 'b', 'c']);
    expect(settle(slots, ['a', 'b', 'c', 'd']).moves).toBe(4);
    for (const [index, slot] of slots.entries()) if (slot.holder === 'd') slots[index] = free();
    expect(settle(slots, ['a', 'b', 'c']).moves).toBe(4);
    expect(counts(slots)).toEqual([5, 5, 6]);
  });
});
