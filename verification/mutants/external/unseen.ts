import type { Mutation } from '../mutation.ts';

const engine = 'lifecycle/src/external-resource';
const database = 'reconcilers/src/cloud-database';
const set = 'reconcilers/src/monitored-stateful-set';

/** More mistakes, written from the sources alone by an author who had not seen the search or its invariants. */
export const unseenExternalMutations: readonly Mutation[] = [
  {
    name: 'a later attempt that is refused makes an earlier one forgotten',
    file: `${engine}/record.ts`,
    find: 'return earlier === undefined ? rest : { ...rest, createAttemptedAt: earlier };',
    replace: 'return earlier === undefined ? rest : { ...rest };',
    breaks: 'I26, I28',
  },
  {
    name: 'an imported database that shall go is not recognized',
    file: `${engine}/delete.ts`,
    find: '(view) => view.owner === owner || (view.owner === undefined && view.id === record?.id),',
    replace: '(view) => view.owner === owner,',
    breaks: 'I12, I23',
  },
  {
    name: 'who finds a thing of his again forgets how many there were before',
    file: `${engine}/ensure.ts`,
    find: 'const incarnation = Number(view.token?.slice(owner.length + 1)) || record?.incarnation || 1;',
    replace: 'const incarnation = record?.incarnation ?? 1;',
    breaks: 'S0.17, I22',
  },
  {
    name: 'what takes long is asked after as often as what has just begun',
    file: `${engine}/poll.ts`,
    find: 'const interval = Math.min(movingMaxMs, Math.max(movingMinMs, (now - since) / 8));',
    replace: 'const interval = Math.min(movingMaxMs, Math.max(movingMinMs, (now - since) / 8_000));',
    breaks: 'seed 003: polled with back-off',
  },
  {
    name: 'who is sent away by the rate limit has used up a call',
    file: `${engine}/rate-limit.ts`,
    find: 'if (waitMs > this.maxWaitMs) {',
    replace: 'if (waitMs > this.maxWaitMs) {\n      this.due = due + spacing;',
    breaks: 'seed 003: one limit for each account',
  },
  {
    name: 'credentials that have lost their protection hold a deletion up',
    file: `${database}/observe.ts`,
    find: 'if (!isProtected && metadata.deletionTimestamp === undefined) {',
    replace: 'if (!isProtected) {',
    breaks: 'I18',
  },
  {
    name: 'what a look has not shown counts as absent at a moment after the look',
    file: `${database}/reconcile.ts`,
    find: 'const now = Math.min(beganAt(), context.clock.now());',
    replace: 'const now = context.clock.now();',
    breaks: 'I23, I24',
  },
  {
    name: 'the connection Secret is written whoever has changed it meanwhile',
    file: `${database}/children.ts`,
    find: 'return { ...wanted, metadata: { ...wanted.metadata, resourceVersion: secret.metadata.resourceVersion } };',
    replace: 'return wanted;',
    breaks: 'S0.17: stale reads',
  },
  {
    name: 'an imported database is given a new password',
    file: `${database}/decide.ts`,
    find: 'return database.spec.externalName === undefined ? newPassword : undefined;',
    replace: 'return newPassword;',
    breaks: 'import by name',
  },
  {
    name: 'an entry is removed as soon as the next one is announced',
    file: `${set}/places.ts`,
    find: '(isSeen(here) ? removeBeside(',
    replace: '(isSeen(here) || here.record !== undefined ? removeBeside(',
    breaks: 'S0.15: no gap',
  },
  {
    name: 'alerts that were silenced are never heard again',
    file: `${set}/registration.ts`,
    find: 'view.muted === undefined || view.muted === muted ? undefined',
    replace: 'view.muted === undefined || view.muted === muted || !muted ? undefined',
    breaks: 'muted during a roll-out',
  },
  {
    name: 'the clean-up Job stays behind',
    file: `${set}/decide.ts`,
    find: 'const job: Action<MonitorCall>[] = cleanup?.job',
    replace: 'const job: Action<MonitorCall>[] = cleanup?.job && set.metadata.deletionTimestamp === undefined',
    breaks: 'I12',
  },
  {
    name: 'a status is written over what another client has written meanwhile',
    file: 'lifecycle/src/decision/execute.ts',
    find: 'const body = { metadata: { resourceVersion: seen.resourceVersion }, status: patch };',
    replace: 'const body = { metadata: {}, status: patch };',
    breaks: 'I22, I24: of two operators one calls',
  },
  {
    name: 'another account takes the place of the one that is remembered',
    file: `${database}/status.ts`,
    find: 'account: isStill ? place : (account ?? before?.account),',
    replace: 'account: account ?? before?.account,',
    breaks: 'I23',
  },
  {
    name: 'what a creation has taught is written down for the one after it',
    file: `${engine}/call.ts`,
    find: "if (call.verb !== 'create' || call.token !== record.token || record.id !== undefined) return record;",
    replace: "if (call.verb !== 'create' || record.id !== undefined) return record;",
    breaks: 'I22, I24',
  },
  {
    name: 'databases of one name share the name of their last snapshot',
    file: `${database}/spec.ts`,
    find: 'const snapshot = `final-${status?.external?.token ?? tokenOf(metadata.uid, 1)}`;',
    replace:
      "const snapshot = `final-${status === undefined ? tokenOf(metadata.uid, 1) : (metadata.namespace ?? '')}`;",
    breaks: 'I12: Snapshot',
  },
  {
    name: 'a deletion that has failed counts as made',
    file: `${engine}/call.ts`,
    find: "return call.verb === 'delete' && error.code === 'NotFound' ? { call } : { call, error };",
    replace: "return call.verb === 'delete' ? { call } : { call, error };",
    breaks: 'S0.14: errors of a clean-up are reported',
  },
  {
    name: 'a deletion begins anew at each look',
    file: `${engine}/delete.ts`,
    find: 'deleteRequestedAt: record.deleteRequestedAt ?? timestamp(now) };',
    replace: 'deleteRequestedAt: timestamp(now) };',
    breaks: 'S0.23',
  },
  {
    name: 'an entry that is gone is remembered',
    file: `${set}/status.ts`,
    find: 'record === undefined || done === true',
    replace: 'record === undefined',
    breaks: 'S0.15: a migration ends',
  },
];
