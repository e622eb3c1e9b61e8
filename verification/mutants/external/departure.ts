import type { Mutation } from '../mutation.ts';

const engine = 'lifecycle/src/external-resource';
const database = 'reconcilers/src/cloud-database';

/** Mistakes in how a thing outside is deleted, or left where it is. */
export const departureMutations: readonly Mutation[] = [
  {
    name: 'without an ID there is nothing to clean up',
    file: `${engine}/delete.ts`,
    find: 'if (seen.record === undefined) return gone;',
    replace: 'if (seen.record?.id === undefined) return gone;',
    breaks: 'S0.18',
  },
  {
    name: 'the owner goes while its thing is still being deleted',
    file: `${engine}/delete.ts`,
    find: 'if (ours.length > 0) {',
    replace: 'if (remaining.length > 0) {',
    breaks: 'I23, I27',
  },
  {
    name: 'whatever is seen is deleted, whoever owns it',
    file: `${engine}/delete.ts`,
    find: '(view) => view.owner === owner || (view.owner === undefined && view.id === record?.id),',
    replace: '() => true,',
    breaks: 'I12',
  },
  {
    name: 'what does not show yet is not waited for',
    file: `${engine}/delete.ts`,
    find: 'if (isBelieved) return gone;',
    replace: 'if (isBelieved || lookAgainAt > 0) return gone;',
    breaks: 'I23',
  },
  {
    name: 'what shall stay is deleted',
    file: `${engine}/delete.ts`,
    find: 'if (!policy.delete)',
    replace: 'if (!policy.delete && record === undefined)',
    breaks: 'I12',
  },
  {
    name: 'an imported database goes with its object',
    file: `${database}/spec.ts`,
    find: "spec.deletionPolicy ?? (spec.externalName === undefined ? 'Delete' : 'Retain')",
    replace: "spec.deletionPolicy ?? 'Delete'",
    breaks: 'I12',
  },
  {
    name: 'no snapshot is taken',
    file: `${database}/spec.ts`,
    find: "finalSnapshot: deletionPolicyOf(spec) === 'Snapshot' ? snapshot : undefined,",
    replace: "finalSnapshot: snapshot === '' ? snapshot : undefined,",
    breaks: 'deletion policy Snapshot',
  },
  {
    name: 'a deletion is believed at one look',
    file: `${engine}/delete.ts`,
    find: 'const doubt = isAnothers ? 0 : id === undefined ? doubtMs(seen.traits) : staleMs(seen.traits);',
    replace: 'const doubt = isAnothers || staleMs(seen.traits) > 0 ? 0 : doubtMs(seen.traits);',
    breaks: 'I23: a provider that lies',
  },
  {
    name: 'what is yet to come is waited for after the clock was set back',
    file: `${engine}/absence.ts`,
    find: '(instantOf(text) ?? now) > now ? timestamp(now) : text;',
    replace: '(instantOf(text) ?? now) > now + 864_000_000 ? timestamp(now) : text;',
    breaks: 'I11: a deletion ends',
  },
  {
    name: 'a status that was emptied is the truth',
    file: 'lifecycle/src/seal/sealed-statuses.ts',
    find: 'return !isHeld && isEmpty(itemOf(object.status));',
    replace: 'return isHeld || isEmpty(itemOf(object.status));',
    breaks: 'issue 25: forged statuses',
  },
];
