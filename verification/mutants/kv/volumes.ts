import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in what a KVStoreCluster consists of: members, volumes, and what is restored into them. */
export const volumeMutations: readonly Mutation[] = [
  {
    name: 'claims have an owner',
    file: 'constructs/src/kv-store-cluster/stateful-set.ts',
    find: 'metadata: { name: kvStoreClaim(cluster.spec), labels: outlivingLabels(cluster) },',
    replace:
      'metadata: { name: kvStoreClaim(cluster.spec), labels: outlivingLabels(cluster), ...(cluster.owner ? { ownerReferences: [{ apiVersion: cluster.owner.apiVersion, kind: cluster.owner.kind, name: cluster.owner.name, uid: cluster.owner.uid }] } : {}) },',
    breaks: 'S0.12, S0.24',
  },
  {
    name: 'the StatefulSet has no owner',
    file: 'constructs/src/kv-store-cluster/stateful-set.ts',
    find: 'metadata: metadataOf(cluster),\n    spec: {\n      replicas',
    replace: 'metadata: { ...metadataOf(cluster), ownerReferences: [] },\n    spec: {\n      replicas',
    breaks: 'S0.24',
  },
  {
    name: 'a claim goes while its pod still ends',
    file: `${kv}/volumes.ts`,
    find: 'return !members.some(({ metadata }) => metadata.name === `${cluster.metadata.name}-${ordinal}`);',
    replace: 'return members.length >= 0;',
    breaks: 'I17',
  },
  {
    name: 'a claim goes before the StatefulSet has come down',
    file: `${kv}/volumes.ts`,
    find: ' || statefulSet?.spec?.replicas !== cluster.spec.replicas) return [];',
    replace: ' || statefulSet === undefined) return [];',
    breaks: 'I17',
  },
  {
    name: 'claims of ordinals that are taken away go against the policy',
    file: `${kv}/volumes.ts`,
    find: "cluster.spec.scaleDown?.claims !== 'Delete' || ",
    replace: '',
    breaks: 'I12',
  },
  {
    name: 'members are taken away before the hook has run',
    file: `${kv}/scale.ts`,
    find: 'if (!scaleDown?.before) return',
    replace: 'if (!scaleDown?.before || present > 0) return',
    breaks: 'issue 6: scaleDown.before',
  },
  {
    name: 'members are taken away although the hook has failed',
    file: `${kv}/scale.ts`,
    find: "if (step.state === 'Succeeded') return { replicas, tasks: [step] };",
    replace: "if (step.state !== 'Running') return { replicas, tasks: [step] };",
    breaks: 'issue 6: scaleDown.before',
  },
  {
    name: 'a larger volume replaces every pod',
    file: 'constructs/src/kv-store-cluster/stateful-set.ts',
    find: 'const { port, podTemplate: overlay, storage, upgrade } = spec;',
    replace:
      'const { port, podTemplate: given, storage, upgrade } = spec; const overlay = { ...given, metadata: { ...given?.metadata, annotations: { size: String(storage.size) } } };',
    breaks: 'I29',
  },
  {
    name: 'a smaller size is asked of a volume',
    file: `${kv}/volumes.ts`,
    find: 'less(requested(claim), size))',
    replace: 'quantity(requested(claim)) !== quantity(size))',
    breaks: 'issue 6: volume growth',
  },
  {
    name: 'claims that an earlier cluster left are never ours',
    file: `${kv}/decide.ts`,
    find: '...adoptClaims(seen), ...dropClaims(seen),',
    replace: '...dropClaims(seen),',
    breaks: 'I12',
  },
  {
    name: 'a cluster that lost its StatefulSet is restored over its data',
    file: `${kv}/backup.ts`,
    find: 'hasMembers(seen) || seen.cluster.status?.currentVersion !== undefined',
    replace: 'hasMembers(seen)',
    breaks: 'I21: data is never overwritten',
  },
  {
    name: 'a restore writes over volumes that an earlier cluster has kept',
    file: `${kv}/backup.ts`,
    find: 'if (!begins || kept === undefined ||',
    replace: 'if (begins || kept === undefined ||',
    breaks: 'I12, I21: data is never overwritten',
  },
  {
    name: 'a restore writes over volumes that may hold data of the cluster itself',
    file: `${kv}/backup.ts`,
    find: "isKnownToHoldData(cluster) ? namesOf(claims) : ''",
    replace: "!isKnownToHoldData(cluster) ? namesOf(claims) : ''",
    breaks: 'issue 25: forged statuses, I14',
  },
  {
    name: 'what a user said of an earlier cluster lets a later one be restored over its volumes',
    file: `${kv}/backup.ts`,
    find: 'annotations?.[restoreOverAnnotation] === uid',
    replace: '(annotations?.[restoreOverAnnotation] ?? uid) !== uid || annotations?.[restoreOverAnnotation] === uid',
    breaks: 'I13',
  },
  {
    name: 'members start before the restore has ended',
    file: `${kv}/decide.ts`,
    find: "return restore && restore.state !== 'Succeeded' ? restoring",
    replace: "return restore && restore.state === 'Failed' ? restoring",
    breaks: 'issue 6: restore',
  },
  {
    name: 'the finalizer is missing',
    file: `${kv}/decide.ts`,
    find: '    actions: [\n      ...takeHold(seen.cluster, clusterHold),\n      ...markData(seen),\n      ...[...tasks',
    replace: '    actions: [\n      ...markData(seen),\n      ...[...tasks',
    breaks: 'seed 001: finalizer',
  },
  {
    name: 'members that another client takes away before the Job of a reduction do not come back',
    file: `${kv}/scale.ts`,
    find: 'return size < before && cluster.spec.replicas < before ? before : 0;',
    replace: 'return size < before && cluster.spec.replicas < before ? 0 : 0;',
    breaks: 'issue 26: row 8',
  },
  {
    name: 'a reduction by another client past the Job is in no event',
    file: `${kv}/scale.ts`,
    find: 'return { blockedBy, bypass };',
    replace: 'return { blockedBy };',
    breaks: 'issue 26: row 8',
  },
  {
    name: 'a hook before scaling counts for all later times too',
    file: `${kv}/scale.ts`,
    find: 'tasks: record && record.spent !== true ? [spend(record)] : []',
    replace: 'tasks: []',
    breaks: 'issue 6: scaleDown.before',
  },
  {
    name: 'what the spec wants no more stays',
    file: `${kv}/children.ts`,
    find: 'return [...applied, ...dropObsolete(seen, manifests)];',
    replace: 'return applied;',
    breaks: 'issue 6: drift put back',
  },
];
