import type { Edit } from '../../../../verification/mutations/mutate.ts';

/** One way to break the simulation. Its file is named from the package. */
export interface Mutation extends Edit {
  /** What the broken simulation does. */
  readonly name: string;
  /** Which part of the suite has to notice it: the comparison with a real API server, or tests by their file. */
  readonly noticedBy: 'conformance' | `${string}.test.ts`;
}

const change = 'src/api-server/verbs/change.ts';
const updater = 'src/api-server/apply/updater.ts';
const deletion = 'src/api-server/verbs/deletion.ts';
const sync = 'src/controllers/stateful-set/sync.ts';
const setTests = 'src/controllers/stateful-set/stateful-set.test.ts';

/** Mistakes that matter to anyone who tests an operator on the simulation. */
export const mutations: readonly Mutation[] = [
  {
    name: 'updates do not check the resourceVersion',
    file: change,
    find: '} else if (resourceVersion !== live.metadata.resourceVersion) throw',
    replace: '} else if (resourceVersion === "") throw',
    noticedBy: 'conformance',
  },
  {
    name: 'updates do not check the uid',
    file: change,
    find: "if (checksUid && uid !== undefined && uid !== '' && uid !== live.metadata.uid)",
    replace: 'if (checksUid && uid === null)',
    noticedBy: 'conformance',
  },
  {
    name: 'a write that changes nothing is stored all the same',
    file: change,
    find: 'if (same !== undefined && !isReleased(live) && !server.defaultedWhenRead.has(live)) return done(presented as unknown as JsonObject);',
    replace: '',
    noticedBy: 'conformance',
  },
  {
    name: 'dry runs are stored',
    file: change,
    find: 'if (scope.dryRun) return done(outcome.kept.object === final ? final : yield* shown(server, resource, next));',
    replace: '',
    noticedBy: 'conformance',
  },
  {
    name: 'deletes ignore a precondition on the uid',
    file: 'src/api-server/verbs/delete.ts',
    find: 'if (preconditions?.uid !== undefined && preconditions.uid !== uid) throw conflict(subject, name, `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`);',
    replace:
      'if (preconditions?.uid === "") throw conflict(subject, name, `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`);',
    noticedBy: 'conformance',
  },
  {
    name: 'apply takes over what others own',
    file: updater,
    find: 'if (!force && conflicts.size > 0) return { conflicts };',
    replace: '',
    noticedBy: 'conformance',
  },
  {
    name: 'a forced apply leaves the fields to their former owner too',
    file: updater,
    find: 'const fields = difference(difference(managed.fields, taken), changes.removed);',
    replace: 'const fields = difference(managed.fields, changes.removed);',
    noticedBy: 'conformance',
  },
  {
    name: 'what is applied no longer stays',
    file: updater,
    find: 'last === undefined || isEmptySet(last.fields) ? merged',
    replace: 'last === undefined || !isEmptySet(last.fields) ? merged',
    noticedBy: 'conformance',
  },
  {
    name: 'finalizers do not hold an object',
    file: deletion,
    find: 'return contentGone && (finalizers ?? []).length === 0;',
    replace: 'return contentGone;',
    noticedBy: 'conformance',
  },
  {
    name: 'foreground deletion is background deletion',
    file: deletion,
    find: "policy === 'Foreground';",
    replace: 'false;',
    noticedBy: 'conformance',
  },
  {
    name: 'pods on nodes are deleted without grace',
    file: deletion,
    find: "const period = options.gracePeriodSeconds ?? Number(spec['terminationGracePeriodSeconds'] ?? 0);",
    replace: 'const period = 0;',
    noticedBy: 'conformance',
  },
  {
    name: 'namespaces that are being deleted take new objects',
    file: 'src/api-server/admission/builtin.ts',
    find: 'if (found.metadata.deletionTimestamp === undefined || user.name ===',
    replace: 'if (found.metadata.deletionTimestamp !== "" || user.name ===',
    noticedBy: 'conformance',
  },
  {
    name: 'the generation of custom objects stays',
    file: 'src/api-server/kinds/custom-model.ts',
    find: 'generation: (old.metadata.generation ?? 0) + 1',
    replace: 'generation: old.metadata.generation ?? 1',
    noticedBy: 'conformance',
  },
  {
    name: 'a write to the main resource sets the status',
    file: 'src/api-server/kinds/custom-model.ts',
    find: "? { ...without(object, 'status'), ...(old['status'] !== undefined && { status: old['status'] }) }",
    replace: '? object',
    noticedBy: 'conformance',
  },
  {
    name: 'null in a merge patch removes nothing',
    file: 'src/api-server/patch/merge-patch.ts',
    find: 'patch[key] === null);',
    replace: 'patch[key] === undefined);',
    noticedBy: 'conformance',
  },
  {
    name: 'watches do not send what is there first',
    file: 'src/api-server/watch/open.ts',
    find: 'if (due !== undefined) initial.push(due);',
    replace: '',
    noticedBy: 'conformance',
  },
  {
    name: 'label selectors with notin leave out what has no such label',
    file: 'src/api-server/store/selectors.ts',
    find: "case 'notin': return value === undefined || !values.has(value);",
    replace: "case 'notin': return value !== undefined && !values.has(value);",
    noticedBy: 'conformance',
  },
  {
    name: 'a pod in the way does not end the sync of a StatefulSet early',
    file: sync,
    find: "if (monotonic && (isTerminating(live) || !isSettled(live, sync))) return 'stop';",
    replace: '',
    noticedBy: setTests,
  },
  {
    name: 'a rolling update does not wait for the pod before',
    file: sync,
    find: 'if (isUnavailable(sync, live)) return 0;',
    replace: '',
    noticedBy: setTests,
  },
  {
    name: 'the partition of a rolling update is ignored',
    file: sync,
    find: 'const lowest = strategy?.rollingUpdate?.partition ?? 0;',
    replace: 'const lowest = 0;',
    noticedBy: setTests,
  },
  {
    name: 'kubelets wait for the finalizers of a pod before they end it',
    file: 'src/node/pod-worker.ts',
    find: "if (isTerminating(pod) && (this.state === 'preparing' || this.state === 'running'))",
    replace:
      "if (isTerminating(pod) && pod.metadata.finalizers === undefined && (this.state === 'preparing' || this.state === 'running'))",
    noticedBy: 'src/node/node.test.ts',
  },
];
