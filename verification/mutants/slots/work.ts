import type { Mutation } from '../mutation.ts';

const controller = 'runtime/src/controller/controller.ts';

/** Mistakes in which keys a replica works on, and in what comes to its end before a slot is given back. */
export const workMutations: readonly Mutation[] = [
  {
    name: 'a slot is given back while work of it is under way',
    file: controller,
    find: 'await term.idle();',
    replace: '',
    breaks: 'one writer for each slot',
  },
  {
    name: 'work begins on a slot that is being given back',
    file: 'runtime/src/controller/terms.ts',
    find: 'return term?.ending.aborted === false ? term : undefined;',
    replace: 'return term;',
    breaks: 'one writer for each slot',
  },
  {
    name: 'who gets a slot back looks only at what has changed meanwhile',
    file: controller,
    find: 'for (const key of this.#primaryCache().store.keys()) if (this.#terms.isIn(slot, key)) due.add(key);',
    replace: '',
    breaks: 'every slot is served',
  },
  {
    name: 'names that differ in a digit are in few slots',
    file: 'runtime/src/leadership/leadership.ts',
    find: 'return ((hash ^ (hash >>> 16)) >>> 0) % slots;',
    replace: 'return ((hash >>> 28) >>> 0) % slots;',
    breaks: 'equal shares',
  },
  {
    name: 'after a restore a slot is worked on while work of another goes on with what was read before',
    file: 'runtime/src/manager/manager.ts',
    find: 'await era.idle();',
    replace: '',
    breaks: 'nothing that was known before a restore counts',
  },
];
