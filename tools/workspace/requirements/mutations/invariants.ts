import type { SectionMutations } from '../mutation.ts';
import { lifecycle, src } from './folders.ts';
import { known } from './known.ts';

/** Mistakes that the invariants of what is kept outside are about. */
export const invariants: SectionMutations = {
  section: 'invariants',
  mutations: [
    {
      claim: 'I11',
      file: `${src}/cloud-database/decide.ts`,
      find: 'const errors = leaving ? [] : validateCloudDatabase(database);',
      replace: 'const errors = validateCloudDatabase(database);',
    },
    {
      claim: 'I12',
      ...known('external', 'what shall stay is deleted'),
      tests: [{ file: `${lifecycle}/external-resource/ensure.test.ts`, titles: ['what is leaving'] }],
    },
    { claim: 'I18', ...known('external', 'a provider is used before its Secret is protected') },
    { claim: 'I22', ...known('external', 'a password is sent before it is written down') },
    { claim: 'I23', ...known('external', 'a deletion is believed at one look') },
    { claim: 'I24', ...known('external', 'an announced creation is sent however late') },
    { claim: 'I25', ...known('cache', 'what is being deleted gets a finalizer') },
    {
      claim: 'I26',
      file: `${lifecycle}/external-resource/delete.ts`,
      find: 'if (seen.record === undefined) return gone;',
      replace: '',
    },
    { claim: 'I27', ...known('external', 'what is being deleted is taken for what is wanted') },
    { claim: 'I28', ...known('external', 'a creation without an answer counts as not done') },
  ],
};
