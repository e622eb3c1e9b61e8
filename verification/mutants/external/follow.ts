import type { Mutation } from '../mutation.ts';

const database = 'reconcilers/src/cloud-database';

/** Mistakes in how an account is followed whose endpoint has another name. */
export const followMutations: readonly Mutation[] = [
  {
    name: 'a Secret alone decides which account a database is at',
    file: `${database}/follow.ts`,
    find: 'if (metadata.annotations?.[followAccountAnnotation] !== account.account)',
    replace: "if (account.account === '')",
    breaks: 'nothing but the object decides where secrets go',
  },
  {
    name: 'an account is followed to where the database is not',
    file: `${database}/follow.ts`,
    find: 'return view !== undefined && view.id === record.id && isOurs(view);',
    replace: "return view !== undefined || record.id !== '';",
    breaks: 'I23',
  },
  {
    name: 'a database with the same ID is taken for the own one',
    file: `${database}/follow.ts`,
    find: 'owner === metadata.uid && token === record.token;',
    replace: "owner === metadata.uid && token !== '';",
    breaks: 'I23',
  },
  {
    name: 'an account that was followed is forgotten',
    file: `${database}/status.ts`,
    find: 'account: isStill ? place : (account ?? before?.account),',
    replace: 'account: place ?? account,',
    breaks: 'I23',
  },
];
