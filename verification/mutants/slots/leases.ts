import type { Mutation } from '../mutation.ts';

const elector = 'runtime/src/leadership/elector.ts';
const leadership = 'runtime/src/leadership/leadership.ts';
const lease = 'runtime/src/leadership/lease.ts';

/** Mistakes in how leases are held, taken and given back. */
export const leaseMutations: readonly Mutation[] = [
  {
    name: 'a clock that is set back keeps a lease beyond its time',
    file: elector,
    find: 'isOver = true; this.#validUntil = 0;',
    replace: '',
    breaks: 'one writer for each slot',
  },
  {
    name: 'a clock that is set forward takes a lease that is held',
    file: elector,
    find: 'return !mayHold || this.#ranOut;',
    replace: 'return !mayHold || this.#options.clock.now() - this.#observedAt >= this.#heldForMs(seen);',
    breaks: 'one writer for each slot',
  },
  {
    name: 'a write needs no lease of the group',
    file: leadership,
    find: 'this.#first.permitWrite();',
    replace: '',
    breaks: 'one number of slots at a time',
  },
  {
    name: 'a write needs no lease of its own slot',
    file: leadership,
    find: 'this.#electors[slotOf(key, this.slots)]?.permitWrite();',
    replace: '',
    breaks: 'one writer for each slot',
  },
  {
    name: 'replicas with other numbers of slots work side by side',
    file: leadership,
    find: '{ ...options, identity: `${slots} slots`, isGroup: true }',
    replace: "{ ...options, identity: 'slots', isGroup: true }",
    breaks: 'one number of slots at a time',
  },
  {
    name: 'a replica that stops gives the lease of the group back for all',
    file: elector,
    find: 'if (this.leads && this.#options.isGroup !== true) await this.#release();',
    replace: 'if (this.leads) await this.#release();',
    breaks: 'one number of slots at a time',
  },
  {
    name: 'a renewal that another write has overtaken is not tried again',
    file: elector,
    find: 'if (holds === true && tries < renewalsInARow) continue;',
    replace: '',
    breaks: 'every slot is served',
  },
  {
    name: 'a replica that is asked for a slot keeps it',
    file: elector,
    find: "if (wantedBy !== undefined && wantedBy !== '' && wantedBy !== this.#options.identity)",
    replace: "if (wantedBy !== undefined && wantedBy !== '' && wantedBy === this.#options.identity)",
    breaks: 'equal shares',
  },
  {
    name: 'who gets a slot is asked to give it up at once',
    file: lease,
    find: "const wantedBy = taken && holder !== '' ? '' : (before?.wantedBy ?? '');",
    replace: "const wantedBy = taken && holder === '' ? '' : (before?.wantedBy ?? '');",
    breaks: 'equal shares',
  },
];
