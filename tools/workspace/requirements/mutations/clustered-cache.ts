import type { SectionMutations } from '../mutation.ts';
import { lifecycle, searched, src } from './folders.ts';
import { known } from './known.ts';

/** Mistakes in what seed 000 asks for. */
export const clusteredCache: SectionMutations = {
  section: '000',
  exempt: [{ claim: 'all of it with real software', because: 'needs nodes with containers: npm run e2e' }],
  mutations: [
    {
      claim: '`replicas` (at least 1',
      file: 'libs/api/src/generated/cache.my.domain/v1/clusteredcache.validator.ts',
      find: '"replicas":{"type":"integer","format":"int32","minimum":1},"image"',
      replace: '"replicas":{"type":"integer","format":"int32","minimum":0},"image"',
    },
    {
      claim: 'print columns',
      file: 'libs/api/crds/clusteredcaches.cache.my.domain.yaml',
      find: '- name: Version type: string',
      replace: '- name: Image\n          type: string',
    },
    {
      claim: 'not found is the end',
      file: `${src}/clustered-cache/reconcile.ts`,
      find: 'if (!seen) return releaseOrphans(key, context);',
      replace: 'if (!seen) return {};',
    },
    { claim: 'scaling that is no upgrade', ...known('cache', 'the StatefulSet shrinks at once') },
    { claim: 'a changed image is an upgrade', ...known('cache', 'the lowest ordinal goes down first') },
    {
      claim: 'the finalizer `cache.my.domain',
      file: `${lifecycle}/rollout/outcome.ts`,
      find: "kind: 'addFinalizer', descriptor: pods, target: member, finalizer, because };",
      replace: "kind: 'addFinalizer', descriptor: pods, target: member, finalizer: 'cache.my.domain/other', because };",
      tests: searched('clustered-cache', 'an upgrade of three members'),
    },
    {
      claim: 'application checks before a pod',
      ...known('cache', 'members go down without their gates being asked'),
      tests: searched('clustered-cache', 'an upgrade whose gate opens late'),
    },
    {
      claim: 'leadership transferred',
      ...known('cache', 'a leader goes down although no member has its data'),
    },
    {
      claim: 'the finalizer goes when all checks pass',
      ...known('cache', 'an ended member is released while its peers are not ready'),
    },
    { claim: 'children exist', ...known('cache', 'drift of the StatefulSet stays') },
    { claim: 'deletion is looked at first', ...known('cache', 'an invalid cache can’t be deleted') },
    {
      claim: '`targetVersion` and condition',
      ...known('cache', 'currentVersion moves when the upgrade begins'),
      tests: searched('clustered-cache', 'an upgrade of three members'),
    },
    {
      claim: 'a check that fails to run',
      file: `${lifecycle}/rollout/ask-again.ts`,
      find: 'pauseMs *= 2;',
      replace: 'pauseMs *= 1;',
    },
    {
      claim: 'a closed gate is asked again',
      file: `${lifecycle}/rollout/outcome.ts`,
      find: 'lookAgainAt: earliest(no.lookAgainAt, askAgainAt(step, no, rest)) ?? now,',
      replace: 'lookAgainAt: now + 3_600_000,',
    },
    {
      claim: 'edge case 1, stuck',
      file: `${lifecycle}/rollout/deadline.ts`,
      find: 'return `Timed out waiting for health checks${on}`;',
      replace: 'return `Timed out${on}`;',
    },
    {
      claim: 'edge case 1: stop, or roll back',
      ...known('cache', 'a rollback leaves the new template'),
      tests: searched('clustered-cache', 'an upgrade that fails, is rolled back, and is followed by another'),
    },
    {
      claim: 'edge case 1: an alert',
      file: 'libs/constructs/src/install/monitoring.ts',
      find: '({__name__=~"ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset)_upgrade_failed"}) > 0',
      replace: '({__name__=~"ordinal_(clusteredcache|kvstorecluster)_upgrade_broken"}) > 0',
    },
    {
      claim: 'edge case 2: nothing is done twice',
      file: `${lifecycle}/decision/execute.ts`,
      find: 'if (others.length < finalizers.length) return;',
      replace: '',
    },
    {
      claim: 'edge case 3: the operator may crash',
      // Done again by a second operator, it would take the new pod of the same name down.
      ...known('cache', 'a delete has no precondition'),
      tests: searched('clustered-cache', 'an upgrade of three members'),
    },
    {
      claim: 'edge case 4',
      file: `${src}/clustered-cache/held-pods.ts`,
      find: 'if (!isHeld(pod)) return `the finalizer of ${hold.pod} was taken off`;',
      replace: 'if (!isHeld(pod)) return undefined;',
    },
    {
      claim: 'edge case 5: concurrent reconciles',
      file: 'libs/runtime/src/controller/controller.ts',
      find: 'new Workers(definition.options.concurrency ?? defaults.concurrency,',
      replace: 'new Workers(1 + (definition.options.concurrency ?? defaults.concurrency),',
    },
    {
      claim: 'edge case 5: targeted watches',
      file: 'libs/runtime/src/handler/handler.ts',
      find: 'if (controller?.kind !== primary.kind || groupOf(controller.apiVersion) !== primary.group) return [];',
      replace: 'if (controller?.kind === primary.kind || controller === undefined) return [];',
    },
    {
      claim: 'edge case 5: a caching client',
      file: 'libs/runtime/src/writes/own-writes.ts',
      find: 'if (!isShown) return;',
      replace: 'return;',
    },
  ],
};
