import type { Mutation } from '../mutation.ts';

const cache = 'reconcilers/src/clustered-cache';
const shared = 'reconcilers/src/adoption';

/** Mistakes with a StatefulSet that is taken over. */
export const adoptionCacheMutations: readonly Mutation[] = [
  {
    name: 'a StatefulSet is taken over without a consent',
    file: `${shared}/obstacle.ts`,
    find: "return { reason: 'AwaitingConsent', message: asking(adopting) };",
    replace: 'return undefined;',
    breaks: 'issue 29: consent',
  },
  {
    name: 'what other managers have set of a StatefulSet that is taken over stays in every new template',
    file: `${shared}/take-over.ts`,
    find: 'managedFields: takenOver(managedFields, ownership),',
    replace: '...(ownership.now < 0 ? { managedFields } : {}),',
    breaks: 'I1',
  },
  {
    name: 'pods that are taken over do not say of which revision they are, and are replaced',
    file: `${shared}/marks.ts`,
    find: '{ [controllerRevisionLabel]: updateRevision, ...labels }',
    replace: "{ 'ordinal.dev/revision': updateRevision, ...labels }",
    breaks: 'issue 29: nothing restarts',
  },
  {
    name: 'a StatefulSet that is to be taken over and is not there is made',
    file: `${cache}/adoption.ts`,
    find: 'if (wasTakenOver(cache.status?.conditions)) return undefined; return waiting(cache, notFound(adopt.statefulSet), now);',
    replace: 'if (cache.spec.adopt) return undefined; return waiting(cache, notFound(adopt.statefulSet), now);',
    breaks: 'issue 29: a plan first',
  },
];
