import type { TestCluster, TraceEntry } from '@ordinal/simulator';

const isTwin = ({ actor }: TraceEntry): boolean => actor === 'operator operator-twin';

/**
 * Whether two operators lead at this time (fault `twoLeaders`). Neither can tell then what the other is about to do: the runtime's election refuses each write that a deposed leader
 * begins, but not the one that it was suspended in.
 */
export function twoLead(cluster: TestCluster, entries: readonly TraceEntry[] = cluster.trace.entries): boolean {
  return entries.findLast((entry) => isTwin(entry) && ['start', 'crash'].includes(entry.action))?.action === 'start';
}

/**
 * Whether two versions of the operator lead at this time (faults `oldVersion` and `twoLeaders`). They make two templates of one spec, each takes the other's for a change, and puts back what the
 * other has done: also a Job that one of them has just made.
 */
export function twoVersionsLead(cluster: TestCluster): boolean {
  const isOfTwoVersions = ({ action, subject }: TraceEntry) =>
    action === 'strike' && subject.includes('the older version of the operator');
  return twoLead(cluster) && cluster.trace.entries.some(isOfTwoVersions);
}

/** How long one that goes on may take for what it had decided before it was suspended, in milliseconds. */
const decisionMs = 1_000;

/** Whether this user is the leader that was suspended, and goes on just now with what it had decided before. */
export function goesOn(cluster: TestCluster, user: string): boolean {
  if (!user.endsWith(':operator') || !twoLead(cluster)) return false;
  const paused = cluster.trace.entries.findLast(
    ({ actor, action }) => actor === 'operator operator' && action === 'pause',
  );
  const resumesAt = (paused?.at ?? 0) + Number.parseInt(paused?.outcome ?? '', 10);
  return cluster.clock.now() >= resumesAt && cluster.clock.now() < resumesAt + decisionMs;
}

/** How long it takes at most from a look at one object to a request about another one that rests on it, in milliseconds. */
const exchangeMs = 50;

/**
 * Whether, while two lead, the other one has written the object `subject` (`statefulsets default/orders`) between the look of this user at it and the request that rests on that. No
 * precondition protects a request about one object from a write of another one. One that was suspended between the two goes on as well.
 */
export function isOvertaken(cluster: TestCluster, user: string, subject: string): boolean {
  if (!twoLead(cluster)) return false;
  if (goesOn(cluster, user)) return true;
  const other = user.endsWith(':operator') ? 'operator-twin' : 'operator';
  return cluster.trace.entries.some(
    (entry) =>
      entry.at > cluster.clock.now() - exchangeMs &&
      entry.actor === other &&
      entry.action === 'apply' &&
      entry.subject === subject &&
      entry.outcome === undefined,
  );
}

/**
 * The names of the claims that were made although their cluster `owner` (`kvstoreclusters default/orders`) had gone, while two led: the one that was suspended has made its StatefulSet
 * after the other one had ended the deletion. The garbage collector takes it back, but it may have made claims by then, which have no owner reference.
 */
export function claimsMadeTooLate(cluster: TestCluster, owner: string): ReadonlySet<string> {
  const { entries } = cluster.trace;
  const ended = entries.findLastIndex(({ subject, outcome }) => subject === owner && outcome === undefined);
  const again = entries.findIndex(
    ({ actor, action, subject, outcome }, index) =>
      index > ended &&
      actor === 'operator' &&
      action === 'apply' &&
      subject.startsWith('statefulsets ') &&
      outcome === undefined,
  );
  if (again < 0 || !twoLead(cluster, entries.slice(0, again))) return new Set();
  const made = entries.slice(again).flatMap(({ action, subject, outcome }) => {
    const name = /^persistentvolumeclaims default\/(.+)$/.exec(subject)?.[1];
    return action === 'create' && outcome === undefined && name !== undefined ? [name] : [];
  });
  return new Set(made);
}
