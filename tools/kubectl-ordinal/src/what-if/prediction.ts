import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import { readContents } from '../cluster/read.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import type { OrdinalResource } from '../kinds.ts';
import { shortDuration } from '../terminal/duration.ts';
import { explain, hindranceText, paragraphOf } from '../why/explain.ts';
import { keptByOthers } from '../why/hindrances.ts';
import { saysYes } from '../checks/ask-members.ts';
import type { AskedCheck } from '../checks/checks.ts';
import { checksOf, closedGateOf, roleOf } from '../checks/checks.ts';
import { providerNotes } from './databases.ts';
import { firstLeader } from './leaders.ts';
import type { Learnt } from './learn.ts';
import { unlearnt } from './learn.ts';
import type { FaultReport } from './faults.ts';
import type { Known } from './members.ts';
import { jobTakesMs } from './members.ts';
import { monitorNotes } from './monitors.ts';
import { ofKind } from './of-kind.ts';
import { countsAll } from './quotas.ts';
import type { Ending, Play, Played } from './play.ts';
import { leftOf, presentOf, stateOf } from './play.ts';
import type { LongestOutage, Outage, TimelineEntry } from './timeline.ts';
import { longestOf } from './timeline.ts';
import { webhookNotes } from './webhooks.ts';

/** What would become of a change. Nothing of it has happened. */
export interface Prediction {
  readonly resources: readonly string[];
  readonly ending: Ending;
  /** From the change to the last thing that happens, in milliseconds. */
  readonly tookMs: number;
  readonly timeline: readonly TimelineEntry[];
  readonly outages: readonly Outage[];
  /** The longest time without a member that comes back. */
  readonly longestOutage?: LongestOutage | undefined;
  /** What each resource that is not done waits for in the end, as `why` says it. */
  readonly waits: readonly string[];
  /** The same with faults, where they were asked for. */
  readonly faults?: FaultReport | undefined;
  /** What the prediction rests on. */
  readonly assumed: readonly string[];
}

/** What each resource waits for that is not done, as `why` says it of a real cluster. */
async function waitsOf({ cluster, said, timeline }: Played, what: Play): Promise<readonly string[]> {
  const { wanted, deletes } = what;
  const now = timeline.changedAt;
  const namespace = wanted[0]?.metadata.namespace;
  // All may be read there, and what is not played is not missed.
  const read = await readContents({ client: cluster.client(), namespace });
  const contents = { ...read, events: [...read.events, ...said.asEvents()], unread: [] };
  const present = presentOf(cluster, wanted);
  // Of one that is gone, what was to go with it is left to tell of.
  const left = wanted.filter((_, index) => present[index] === undefined).flatMap((each) => leftOf(cluster, each));
  const kept = keptByOthers(left, namespace).map((each) => hindranceText(each, now));
  const waiting = present.flatMap((resource) =>
    resource === undefined || (!deletes && stateOf(resource) === 'done')
      ? []
      : [paragraphOf(explain(surroundingsOf(resource, contents), now), now)],
  );
  return [...waiting, ...(deletes ? kept : [])];
}

function learntLine({ set, pods, readyAfter, startsAfter, range: [least, most] }: Learnt): string {
  const from =
    pods === 0
      ? 'no pod shows it'
      : `as ${pods} present ${pods === 1 ? 'pod shows' : `pods show, ${shortDuration(least)} to ${shortDuration(most)}`}`;
  return `members of ${set} start ${shortDuration(startsAfter)} after a node takes them, and are ready ${shortDuration(readyAfter)} later (${from})`;
}

/** What a check of members counts as, and why. */
function checkLine(resource: OrdinalResource, check: AskedCheck, known: Known): string {
  const { name, role } = check;
  const of = `${role === 'gate' ? `gate ${name}` : name} of ${resource.metadata.name}`;
  if (known.behaviour.gates[name] !== undefined) return `${of} answers as --members-behave says`;
  const answers = known.answers.filter((each) => each.of === resource.metadata.name && each.check.name === name);
  const asked = answers.filter(({ said }) => said !== undefined);
  const no = asked.filter((answer) => !saysYes(answer)).map(({ member, said }) => `${member}: ${said?.answer.message}`);
  if (no.length > 0)
    return `${of} is closed, as it says now: ${no.join('; ')}; it stays so until that member is replaced`;
  if (asked.length > 0) return `${of} is open, as ${asked.map(({ member }) => member).join(', ')} say now`;
  const before = presentIn(known, resource);
  if (before && closedGateOf(before) === name) return `${of} stays closed, as it said last`;
  const because = answers[0] ? ` (${answers[0].unasked})` : '';
  return `${of} is open: it is not asked${because}`;
}

/** Who leads at first, where that decides something. */
function leaderLine(resource: OrdinalResource, known: Known): readonly string[] {
  if (!roleOf(resource)) return [];
  const { name } = resource.metadata;
  const first = firstLeader(resource, known);
  if (!first) return [`the first member of ${name} that is ready leads: nothing shows who does`];
  return [
    first.name === undefined
      ? `no member of ${name} leads, as ${first.as}`
      : `${first.name} leads ${name}, as ${first.as}`,
  ];
}

/** What is refused that a resource asks for, where it goes on asking for the same. */
function refusalLine(resource: OrdinalResource, known: Known): readonly string[] {
  const refused = known.refusals.get(presentIn(known, resource)?.metadata.uid ?? '');
  return refused ? [`what ${refused.by} asks for is refused again (${refused.code}): its status says so`] : [];
}

const presentIn = ({ resources }: Known, { kind, metadata }: OrdinalResource): OrdinalResource | undefined =>
  resources.find((each) => each.kind === kind && each.metadata.name === metadata.name);

/** What a prediction rests on, in words. */
function assumptionsOf({ seed, known, wanted }: Play): readonly string[] {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const { learnt, broken } = known;
  return [
    ...[...names]
      .filter((name) => !wanted.some(({ kind, metadata }) => kind === 'CloudDatabase' && metadata.name === name))
      .map((name) => learntLine(learnt.find(({ set }) => set === name) ?? unlearnt(name))),
    ...wanted.flatMap((resource) => {
      const checks = checksOf(resource).filter(({ role }) => role !== 'role');
      return [...checks.map((check) => checkLine(resource, check, known)), ...leaderLine(resource, known)];
    }),
    ...[...broken.keys()].map((image) => `image ${image} does not start, as pods show now`),
    `members stop as soon as they are asked, and Jobs succeed after ${shortDuration(jobTakesMs)}, unless --members-behave says otherwise`,
    ...seed.notes,
    ...known.quotas
      .filter((quota) => !countsAll(quota))
      .map(({ metadata }) => `quota ${metadata.name} has scopes, and is not played`),
    ...webhookNotes(known.webhooks),
    ...providerNotes(known.providers, ofKind(cloudDatabases, wanted)),
    ...monitorNotes(known.monitors, ofKind(monitoredStatefulSets, wanted)),
    ...wanted.flatMap((resource) => refusalLine(resource, known)),
    'limit ranges and admission policies are not played; pods that are not played keep what they ask for of a node now',
  ];
}

/** What was played, as a prediction. */
export async function predictionOf(what: Play, played: Played): Promise<Prediction> {
  const { ending, timeline, tookMs } = played;
  const outages = timeline.outagesNow();
  return {
    resources: what.wanted.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
    ...{ ending, tookMs, timeline: timeline.entries, outages, longestOutage: longestOf(outages) },
    waits: ending === 'done' ? [] : await waitsOf(played, what),
    assumed: assumptionsOf(what),
  };
}
