import type { Mutation } from '../mutation.ts';

/** The second lot of mistakes in KVStoreCluster that were written from the sources alone by an author who had not seen the tests. */
export const unseenSecondKvMutations: readonly Mutation[] = [
  {
    name: 'a new pod template of the same version counts as the upgrade that was recorded before: a fix after a failure fails at once by the old deadline, and a canary that was changed in the middle never completes',
    file: 'reconcilers/src/kv-store-cluster/upgrade.ts',
    find: 'if (record?.toRevision !== wanted || cluster.status?.failedRevision === wanted) {',
    replace: 'if (record?.toVersion !== cluster.spec.version) {',
    breaks: 'I2, I20: a changed spec is planned anew, with its own deadli',
  },
  {
    name: 'with manual promotion the lowest canary waits for its promotion before it is ready, baked or judged, so that a bad canary stays down without any deadline',
    file: 'lifecycle/src/partition/canaries.ts',
    find: '(!frontier || frontier.ordinal < canary) &&',
    replace: '(!frontier || frontier.ordinal <= canary) &&',
    breaks: 'I19: a bad canary is given up; promotion comes after the jud',
  },
  {
    name: 'a cluster that was created with an image that does not start stays broken after the image was corrected',
    file: 'reconcilers/src/kv-store-cluster/rollout-step.ts',
    find: `const firstVersion = (view: UpgradeView): UpgradeStep => ({
  ...settled({ ...view, record: undefined }),
  replace: view.applied === view.wanted ? brokenAndOutdated(view, 0) : [],
});`,
    replace: 'const firstVersion = (view: UpgradeView): UpgradeStep => settled({ ...view, record: undefined });',
    breaks: 'I1, S0.10 (kubernetes#67250)',
  },
  {
    name: 'a corrected Job before a scale-down is never run: the members that should go stay for ever',
    file: 'reconcilers/src/kv-store-cluster/scale.ts',
    find: 'record && record.spent !== true && isSame && !isTriedAgain',
    replace:
      'record && record.spent !== true && (isSame || isTriedAgain || record.subject.startsWith(`${reduction}@`))',
    breaks: 'stuck forever; "change the spec to try again" (I3)',
  },
  {
    name: 'volumes of an earlier cluster of the same name that no member uses become the new cluster’s, and are deleted with it',
    file: 'reconcilers/src/kv-store-cluster/volumes.ts',
    find: `  const members = membersOf(seen);
  return seen.foreignClaims
    .filter((claim) => members.some(({ ordinal }) => claim.metadata.name === claimName(seen.cluster, ordinal)))
    .map((claim) => ({`,
    replace: '  return seen.foreignClaims.map((claim) => ({',
    breaks: 'I13, I12: data of another owner is deleted',
  },
  {
    name: 'backups and hooks run the image of the version that is wanted instead of the one that runs, so that a cluster whose upgrade has failed can not be backed up or deleted',
    file: 'reconcilers/src/kv-store-cluster/jobs.ts',
    find: 'version: cluster.status?.currentVersion ?? cluster.spec.version,',
    replace: 'version: cluster.spec.version,',
    breaks: 'I18: clean-up needs what may never have worked; documented i',
  },
  {
    name: 'without a deletion policy the volumes are deleted because of any backup that was ever made, although no final backup was',
    file: 'reconcilers/src/kv-store-cluster/deletion-leftovers.ts',
    find: 'return isBackedUp(cluster);',
    replace: 'return cluster.status?.lastBackup !== undefined;',
    breaks: 'I12: what is left is what the policy says; data loss',
  },
  {
    name: 'a cluster with a Job before its deletion keeps its namespace from ever going',
    file: 'reconcilers/src/kv-store-cluster/deletion-tasks.ts',
    find: `if (!task || skips(seen, 'BeforeDelete') || seen.namespaceTerminating) return undefined;`,
    replace: `if (!task || skips(seen, 'BeforeDelete')) return undefined;`,
    breaks: 'S0.13: in a terminating namespace creates are refused',
  },
  {
    name: 'a backup that has failed is shown as the newest backup',
    file: 'reconcilers/src/kv-store-cluster/status.ts',
    find: `.filter(({ purpose, result }) => (purpose === 'Backup' || purpose === 'FinalBackup') && result === 'Succeeded')`,
    replace: `.filter(({ purpose }) => purpose === 'Backup' || purpose === 'FinalBackup')`,
    breaks: 'a status that lies: lastBackup is the newest that succeeded;',
  },
  {
    name: 'a cluster without a port deletes another owner’s Service that is called like its own for clients',
    file: 'reconcilers/src/kv-store-cluster/children.ts',
    find: 'if (!controls || !descriptor || observed.metadata.deletionTimestamp !== undefined) return [];',
    replace: 'if (!descriptor || observed.metadata.deletionTimestamp !== undefined) return [];',
    breaks: 'foreign objects touched (I13)',
  },
  {
    name: 'a cluster stands still, also its deletion, for as long as the log of one finished Job can not be read',
    file: 'lifecycle/src/task/last-output.ts',
    find: `log.warn({ job: name, cause: String(cause) }, 'the output of a Job could not be read');`,
    replace: 'throw cause;',
    breaks: 'I18: stuck on what may be gone; the error is not in the stat',
  },
];
