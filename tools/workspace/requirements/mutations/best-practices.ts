import type { SectionMutations } from '../mutation.ts';
import { lifecycle, src } from './folders.ts';
import { known } from './known.ts';

/** Mistakes in what seed 004 asks for. */
export const bestPractices: SectionMutations = {
  section: '004',
  mutations: [
    {
      claim: 'watches with a kind',
      file: 'libs/runtime/src/cache/projection.ts',
      find: "if (descriptor.representation === 'metadata') return { keep: 'metadata', ...only };",
      replace: "return { keep: 'metadata', ...only };",
    },
    {
      claim: 'events filtered as early',
      file: 'libs/runtime/src/predicate/predicate.ts',
      find: 'export const generationChanged: Predicate = changed((object) => object.metadata.generation); export const annotationsChanged: Predicate = changed((object) => object.metadata.annotations ?? {});',
      replace:
        'export const generationChanged: Predicate = changed((object) => object.metadata.resourceVersion); export const annotationsChanged: Predicate = changed((object) => object.metadata.annotations ?? {});',
    },
    {
      claim: 'children wake their owner',
      file: 'libs/runtime/src/handler/handler.ts',
      find: 'find((reference) => reference.controller === true);',
      replace: 'find((reference) => reference.controller === false);',
    },
    {
      claim: 'one event wakes many',
      file: 'libs/runtime/src/handler/handler.ts',
      find: 'cache.byIndex(primary, index, value(object)).map(keyOf);',
      replace: 'cache.byIndex(primary, index, value(object)).slice(0, 1).map(keyOf);',
    },
    { claim: 'level-based', ...known('cache', 'drift of the StatefulSet stays') },
    { claim: 'the order: retrieve', ...known('cache', 'an invalid cache can’t be deleted') },
    {
      claim: 'syntactic validation in the CRD',
      file: 'libs/api/src/generated/db.example.com/v1/clouddatabase.validator.ts',
      find: `{"rule":"self == oldSelf","message":"engine can't be changed after creation"}`,
      replace: `{"rule":"true","message":"engine can't be changed after creation"}`,
    },
    {
      claim: 'semantic validation by a webhook',
      file: 'apps/operator/src/webhooks/judge.ts',
      find: 'const verdict = kind.webhook.admit(request);',
      replace: 'const verdict = allow();',
    },
    {
      claim: 'the same routine in the controller',
      file: `${src}/cloud-database/decide.ts`,
      find: 'const errors = leaving ? [] : validateCloudDatabase(database);',
      replace: 'const errors = leaving ? [] : validateCloudDatabase(database).slice(0, 0);',
    },
    {
      claim: 'fields initialized',
      file: 'libs/api/src/generated/kvstore.example.com/v1/kvstorecluster.validator.ts',
      find: '"enum":["RollingUpdate","Canary"],"default":"RollingUpdate"',
      replace: '"enum":["RollingUpdate","Canary"]',
    },
    { claim: 'each controller manages', ...known('cache', 'what is being deleted gets a finalizer') },
    { claim: 'nothing can be created in', ...known('external', 'a Job is wanted in a namespace') },
    {
      claim: 'owners of what shares',
      file: 'libs/runtime/src/object/owner.ts',
      find: 'if (other !== undefined) {',
      replace: 'if (other === undefined) {',
    },
    { claim: 'status as a subresource', ...known('cache', 'conditions get a new time') },
    {
      claim: 'generation-or-finalizers predicate',
      file: 'libs/runtime/src/predicate/predicate.ts',
      find: 'generationChanged, annotationsChanged, finalizersChanged, deletionRequested, );',
      replace: 'generationChanged, annotationsChanged, deletionRequested, );',
    },
    {
      claim: 'an error is reported in the status',
      file: `${lifecycle}/error-management/error-management.ts`,
      find: 'events: [managed.event],',
      replace: 'events: [],',
    },
    { claim: 'back-off that doubles', ...known('cache', 'errors are retried every six hours') },
    {
      claim: 'there is always an event',
      file: `${lifecycle}/error-management/error-management.ts`,
      find: 'const again = isRepeated ? { atMostEveryMs: reportAgainMs } : {};',
      replace: 'const again = isRepeated ? { atMostEveryMs: 24 * 3_600_000 } : {};',
    },
    {
      claim: 'a success clears',
      file: 'libs/lifecycle/src/decision/execute.ts',
      find: 'if (first && untilDone) await run.writeStatus(status);',
      replace: '',
    },
  ],
};
