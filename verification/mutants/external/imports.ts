import type { Mutation } from '../mutation.ts';

const engine = 'lifecycle/src/external-resource';
const database = 'reconcilers/src/cloud-database';

/** Mistakes with databases that are taken over, or only watched. */
export const importsMutations: readonly Mutation[] = [
  {
    name: 'a database that is only watched is created',
    file: `${engine}/ensure.ts`,
    find: 'if (!policy.create) {',
    replace: 'if (!policy.create && noun.length === 0) {',
    breaks: 'management policies',
  },
  {
    name: 'a database that is only watched is changed',
    file: `${database}/spec.ts`,
    find: "update: may(spec, 'Update'),",
    replace: 'update: true,',
    breaks: 'management policies',
  },
  {
    name: 'an import that is not there is created',
    file: `${engine}/ensure.ts`,
    find: 'if (policy.importName !== undefined || record?.imported === true) {',
    replace: 'if (record?.imported === true) {',
    breaks: 'an imported database is never made',
  },
  {
    name: 'a database that was taken over is taken over again',
    file: `${database}/rival.ts`,
    find: '.find((other) => !isClaimed || seniority(other) < seniority(database));',
    replace: '.find((other) => isClaimed && seniority(other) < seniority(database));',
    breaks: 'I24: imports',
  },
  {
    name: 'of two that have taken a database over both keep it',
    file: `${database}/rival.ts`,
    find: '.find((other) => !isClaimed || seniority(other) < seniority(database));',
    replace: '.find((other) => !isClaimed && other !== database);',
    breaks: 'I24: imports',
  },
  {
    name: 'what is taken over is changed before that is written down',
    file: `${database}/decide.ts`,
    find: 'if (record?.imported !== true || database.status?.external?.id === record.id) return outside;',
    replace: 'if (record?.id !== undefined || database.status?.external?.id === record?.id) return outside;',
    breaks: 'I24: imports',
  },
  {
    name: 'an import whose record a restore has taken back is not looked for when the object goes',
    file: `${database}/observe.ts`,
    find: 'if (imports && !isBeingDeleted(database)) return status?.external;',
    replace: 'if (imports) return status?.external;',
    breaks: 'I23',
  },
];
