import type { Mutation } from '../mutation.ts';

const plan = 'runtime/src/leadership/slot-plan.ts';

/** Mistakes in which slots a replica takes and asks for. */
export const planMutations: readonly Mutation[] = [
  {
    name: 'a slot stays free when the replica is gone that had asked for it',
    file: plan,
    find: "return freeMs >= patienceMs || (hasRoom && wantedBy === '');",
    replace: "return hasRoom && wantedBy === '';",
    breaks: 'every slot is served',
  },
  {
    name: 'a slot that was given up for one replica is taken by another',
    file: plan,
    find: "return freeMs >= patienceMs || (hasRoom && wantedBy === '');",
    replace: 'return freeMs >= patienceMs || hasRoom;',
    breaks: 'equal shares',
  },
  {
    name: 'what is left over is taken before all replicas have enough',
    file: plan,
    find: 'const hasRoom = own < least || (isLast && own < Math.ceil(slots.length / counts.size));',
    replace: 'const hasRoom = own < least || own < Math.ceil(slots.length / counts.size);',
    breaks: 'equal shares',
  },
  {
    name: 'a replica asks again for what it has asked for already',
    file: plan,
    find: "const owner = slot?.wantedBy === '' ? slot.holder : slot?.wantedBy;",
    replace: 'const owner = slot?.holder;',
    breaks: 'no slot moves without need',
  },
];
