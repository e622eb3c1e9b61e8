import type { Mutation } from '../mutation.ts';

const engine = 'lifecycle/src/external-resource';
const database = 'reconcilers/src/cloud-database';

/** Mistakes in how a thing outside is made exactly once, found again and kept as it is wanted. */
export const existenceMutations: readonly Mutation[] = [
  {
    name: 'what vanished outside is waited for, for ever',
    file: `${engine}/ensure.ts`,
    find: 'if (doubted.isBelieved) return create(seen, nextIncarnation(seen),',
    replace: `if (doubted.isBelieved) return wait(seen, { reason: 'Vanished', message: '', synced: 'False', ready: 'False' });
  if (record.incarnation > 99) return create(seen, nextIncarnation(seen),`,
    breaks: 'S0.16',
  },
  {
    name: 'each attempt at a creation has a token of its own',
    file: `${engine}/record.ts`,
    find: 'return { token: tokenOf(owner, incarnation), incarnation,',
    replace: 'return { token: `${tokenOf(owner, incarnation)}-${now}`, incarnation,',
    breaks: 'S0.17, I24',
  },
  {
    name: 'a database is asked for before that is written down',
    file: `${database}/decide.ts`,
    find: "order: calls.length > 0 ? 'first' : 'last'",
    replace: "order: 'last'",
    breaks: 'S0.17, I22',
  },
  {
    name: 'a database that is being made is not looked at again',
    file: `${database}/decide.ts`,
    find: '    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),\n',
    replace: '',
    breaks: 'S0.19',
  },
  {
    name: 'a changed size never reaches the provider',
    file: `${database}/decide.ts`,
    find: 'const size = view.size === undefined || view.size === spec.size ? {} : { size: spec.size };',
    replace: 'const size = {};',
    breaks: 'S0.20',
  },
  {
    name: 'the engine may be changed',
    file: 'api/crds/clouddatabases.db.example.com.yaml',
    find: '- rule: self == oldSelf\n                      message: engine',
    replace: '- rule: self == oldSelf || true\n                      message: engine',
    breaks: 'S0.20',
  },
  {
    name: 'only a new generation wakes a controller',
    file: 'runtime/src/predicate/predicate.ts',
    find: '  generationChanged,\n  annotationsChanged,\n  finalizersChanged,\n  deletionRequested,\n',
    replace: '  generationChanged,\n',
    breaks: 'S0.21',
  },
  {
    name: 'a condition has a new time at each look',
    file: 'client/src/condition.ts',
    find: 'const since = previous?.status === finding.status ? previous.lastTransitionTime : timestamp(at.now);',
    replace: 'const since = previous ? timestamp(at.now) : timestamp(at.now);',
    breaks: 'S0.23',
  },
  {
    name: 'of several things of ours the first is used',
    file: `${engine}/ensure.ts`,
    find: "if (others.length > 0) { const message = `${live.length} ${noun}s carry this object's mark (${live.map(({ id }) => id).join(', ')}): delete all but the right one at the provider`; return wait(seen, { reason: 'Ambiguous', message, synced: 'False', ready: 'False', retry: 'wait' }); }",
    replace:
      "if (others.length > 9) { const message = `${live.length} ${noun}s carry this object's mark (${live.map(({ id }) => id).join(', ')}): delete all but the right one at the provider`; return wait(seen, { reason: 'Ambiguous', message, synced: 'False', ready: 'False', retry: 'wait' }); }",
    breaks: 'I24',
  },
  {
    name: 'what is being deleted is taken for what is wanted',
    file: `${engine}/ensure.ts`,
    find: "const live = views.filter(({ state }) => state !== 'deleting');",
    replace: 'const live = views;',
    breaks: 'I27',
  },
  {
    name: 'a provider that denies a thing twice is believed at once',
    file: `${engine}/absence.ts`,
    find: 'isBelieved: since !== undefined && now >= believedAt,',
    replace: 'isBelieved: before.absentSince !== undefined,',
    breaks: 'I24',
  },
  {
    name: 'a creation is repeated at a provider that makes another',
    file: `${engine}/ensure.ts`,
    find: 'if (doubted.isBelieved) return create(seen, record.incarnation, ',
    replace: 'if (doubted.lookAgainAt > 0) return create(seen, record.incarnation, ',
    breaks: 'I24',
  },
  {
    name: 'what belongs to another object is taken over',
    file: `${engine}/ensure.ts`,
    find: 'if (view.owner !== undefined && view.owner !== owner) {',
    replace: "if (view.owner === '') {",
    breaks: 'I24',
  },
  {
    name: 'a creation counts as shown while it may still be sent',
    file: `${engine}/absence.ts`,
    find: 'return roundingMs + callWindowMs + callTimeoutMs + settleMs;',
    replace: 'return callTimeoutMs < 0 ? callWindowMs : settleMs;',
    breaks: 'I23, I24',
  },
  {
    name: 'an announced creation is sent however late',
    file: `${engine}/call.ts`,
    find: 'if (clock.now() > call.notAfter)',
    replace: 'if (clock.now() < 0)',
    breaks: 'I24',
  },
  {
    name: 'a creation without an answer counts as not done',
    file: `${engine}/call.ts`,
    find: "return outcome.error.applied === 'no' ? refused(record, call.earlier) : record;",
    replace: 'return refused(record, call.earlier);',
    breaks: 'I23, I28',
  },
  {
    name: 'what a call has taught is written on another object by the same name',
    file: `${engine}/write-back.ts`,
    find: 'if (fresh?.metadata.uid !== uid) return;',
    replace: 'if (!fresh) return;',
    breaks: 'I13',
  },
  {
    name: 'a doubt begins while a creation may still not show',
    file: `${engine}/absence.ts`,
    find: 'const since = now < shown ? undefined : (before.absentSince ?? timestamp(now));',
    replace: 'const since = before.absentSince ?? timestamp(now);',
    breaks: 'I24: a clock set forward',
  },
  {
    name: 'what is known keeps its twin from being seen',
    file: `${engine}/lookup.ts`,
    find: 'imported !== true && (incarnation > 1',
    replace: 'imported !== true && (incarnation > 100',
    breaks: 'I24: Ambiguous',
  },
  {
    name: 'a status that was written on another state of the object is followed by its calls',
    file: 'lifecycle/src/decision/execute.ts',
    find: 'const isAsSeen = metadata.uid === uid && metadata.generation === seen.generation && hasAll(metadata, seen);',
    replace: 'const isAsSeen = metadata.uid === uid;',
    breaks: 'S0.17',
  },
];
