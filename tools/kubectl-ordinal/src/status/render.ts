import type { Condition, Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { ageOf } from '../terminal/age.ts';
import { shortDuration } from '../terminal/duration.ts';
import type { Paint, Tone } from '../terminal/style.ts';
import type { Estimate } from './estimate.ts';
import type { Facts } from './facts.ts';
import type { GateView, JobView, MemberView, StatusView } from './view.ts';

/** How a status is drawn. */
export interface Drawing {
  readonly paint: Paint;
  readonly now: Instant;
}

/** A line of the tree, with what hangs on it. */
interface Branch {
  readonly line: string;
  readonly below?: readonly Branch[];
}

const barLength = 24;

/** How many backups are shown: what became of the last ones. */
const shownBackups = 3;

function barOf({ done, endsAt }: Estimate, { paint, now }: Drawing): string {
  const full = Math.round(done * barLength);
  const bar = `${paint('good', '━'.repeat(full))}${paint('dim', '─'.repeat(barLength - full))}`;
  const left = instantOf(endsAt);
  return `${bar} ${Math.round(done * 100)} %${left === undefined ? '' : `, about ${shortDuration(left - now)} to go`}`;
}

const isGood = ({ type, status }: Condition): boolean =>
  /^(Degraded|GateBypassed|CheckFailed|JobFailed|ProcessingError)$/.test(type) ? status === 'False' : status === 'True';

function toneOf(condition: Condition): Tone {
  if (condition.status === 'Unknown') return 'warn';
  if (condition.type === 'Progressing' || condition.type === 'Upgrading') return 'plain';
  return isGood(condition) ? 'good' : 'bad';
}

function conditionsBranch(conditions: readonly Condition[], { paint, now }: Drawing): readonly Branch[] {
  if (conditions.length === 0) return [];
  const width = Math.max(...conditions.map(({ type }) => type.length));
  const below = conditions.map((condition) => {
    const { type, status, reason, message, lastTransitionTime } = condition;
    const age = paint('dim', ageOf(lastTransitionTime, now));
    return {
      line: `${type.padEnd(width)}  ${paint(toneOf(condition), status.padEnd(7))} ${reason}${message === '' ? '' : `: ${message}`} ${age}`,
    };
  });
  return [{ line: 'conditions', below }];
}

const memberTones = { ready: 'good', 'not ready': 'bad', ending: 'warn' } as const;

function memberLines(members: readonly MemberView[], { paint, now }: Drawing): readonly Branch[] {
  const width = (of: (member: MemberView) => string): number => Math.max(0, ...members.map((each) => of(each).length));
  const widths = {
    name: width(({ name }) => name),
    role: width(({ role = '' }) => role),
    version: width(({ version }) => version),
  };
  return members.map((member) => {
    const { name, role = '', version, state, since, revision, outdated, volumes, cause } = member;
    const ready = paint(memberTones[state], `${state} ${ageOf(since, now)}`.padEnd(14));
    const parts = [
      name.padEnd(widths.name),
      ...(widths.role > 0 ? [role.padEnd(widths.role)] : []),
      paint(outdated ? 'warn' : 'plain', version.padEnd(widths.version)),
      ready,
      paint('dim', `revision ${revision === '' ? 'unknown' : revision}`),
      ...volumes.map(({ name: volume, size = '', phase, growsTo }) =>
        paint(
          phase === 'Bound' ? 'dim' : 'bad',
          `${volume} ${size}${growsTo === undefined ? '' : ` → ${growsTo}`} ${phase}`,
        ),
      ),
    ];
    return { line: parts.join('  '), ...(cause === undefined ? {} : { below: [{ line: paint('bad', cause) }] }) };
  });
}

function gateLine(gate: GateView, { paint, now }: Drawing): Branch {
  const { name, target, state, answer, since, askedAt } = gate;
  const ages = [
    ...(since === undefined ? [] : [`, for ${ageOf(since, now)}`]),
    ...(askedAt === undefined ? [] : [`, asked ${ageOf(askedAt, now)} ago`]),
  ];
  const says = answer === undefined ? '' : `: ${answer}`;
  return {
    line: `${name} (${target})  ${paint(state === 'closed' ? 'bad' : 'dim', state)}${says}${ages.length === 0 ? '' : paint('dim', ages.join(''))}`,
  };
}

const jobTones = { running: 'plain', succeeded: 'good', failed: 'bad' } as const;

const jobLine = ({ name, purpose, state, since }: JobView, { paint, now }: Drawing): Branch => ({
  line: `${name}  ${purpose}  ${paint(jobTones[state], state)} ${paint('dim', ageOf(since, now))}`,
});

function upgradeBranch({ upgrade, replicas = 0 }: Facts, view: StatusView, drawing: Drawing): readonly Branch[] {
  if (upgrade === undefined) return [];
  const { paint, now } = drawing;
  const { step, pod, since, updated, blockedBy, deadline, members = [] } = upgrade;
  const about = pod === undefined ? '' : ` ${pod}`;
  const time = since === undefined ? '' : ` for ${ageOf(since, now)}`;
  const fails = instantOf(deadline);
  const line = `upgrade  ${paint(step === 'Failed' ? 'bad' : 'strong', step)}${about}${time}, ${updated} of ${replicas} updated`;
  const below: Branch[] = [
    ...(view.estimate ? [{ line: barOf(view.estimate, drawing) }] : []),
    ...(blockedBy === undefined ? [] : [{ line: `waits for ${paint('warn', blockedBy)}` }]),
    ...(view.override === undefined ? [] : [{ line: `to go on all the same: ${view.override}` }]),
    ...(fails === undefined || step === 'Failed' || view.paused !== undefined
      ? []
      : [{ line: paint('dim', `fails in ${shortDuration(fails - now)} unless something moves`) }]),
    ...members.map(({ pod: each, step: at, blockedBy: by }) => ({
      line: `${each}  ${at}${by === undefined ? '' : `: ${by}`}`,
    })),
  ];
  return [{ line, below }];
}

/** What of the work on a resource is paused, in words. */
const pausedWords = { all: 'paused', upgrades: 'upgrades paused' } as const;

function headOf({ kind, namespace, name, deleting, paused, facts }: StatusView, { paint }: Drawing): string {
  const { phase, version, target, ready, replicas, failure } = facts;
  const tone = failure ? 'bad' : deleting || facts.upgrade ? 'warn' : 'good';
  const versions = target !== undefined && target !== version ? `${version ?? 'nothing'} → ${target}` : (version ?? '');
  const members = replicas === undefined ? '' : `${ready ?? 0}/${replicas} ready`;
  const held = paused === undefined ? '' : paint('warn', pausedWords[paused]);
  const shown = [paint(tone, deleting ? `deleting (${phase})` : phase), held, versions, members].filter(
    (part) => part !== '',
  );
  return `${paint('strong', `${kind} ${namespace}/${name}`)}  ${shown.join('  ')}`;
}

function branchesOf(view: StatusView, drawing: Drawing): readonly Branch[] {
  const { facts, workload, members, gates, jobs, external, unread } = view;
  const { paint, now } = drawing;
  const { failure, processingError } = facts;
  const group = (line: string, below: readonly Branch[]): readonly Branch[] =>
    below.length === 0 ? [] : [{ line, below }];
  return [
    ...(view.paused === undefined
      ? []
      : [{ line: `${paint('warn', pausedWords[view.paused])}; to go on: ${view.resume ?? ''}` }]),
    ...(failure ? [{ line: paint('bad', `failed (${failure.reason}): ${failure.message}`) }] : []),
    ...(processingError
      ? [
          {
            line: paint(
              'bad',
              `can’t be processed (${processingError.reason}) for ${ageOf(processingError.since, now)}: ${processingError.message}`,
            ),
          },
        ]
      : []),
    ...upgradeBranch(facts, view, drawing),
    ...conditionsBranch(facts.conditions, drawing),
    ...(workload
      ? [
          {
            line: `${workload.kind} ${workload.name}  ${workload.ready}/${workload.replicas} ready`,
            below: memberLines(members, drawing),
          },
        ]
      : []),
    ...group(
      'gates',
      gates.map((gate) => gateLine(gate, drawing)),
    ),
    ...group(
      'Jobs',
      jobs.map((job) => jobLine(job, drawing)),
    ),
    ...group(
      'backups',
      (facts.backups ?? []).slice(0, shownBackups).map(({ name, result, at, location = '' }) => ({
        line: `${name}  ${paint(result === 'Failed' ? 'bad' : 'good', result ?? 'under way')} ${paint('dim', ageOf(at, now))}  ${location}`.trimEnd(),
      })),
    ),
    ...group(
      'outside',
      external.map(({ what, id, at }) => ({
        line: `${what} ${id ?? '(not made yet)'}${at === undefined ? '' : ` at ${at}`}`,
      })),
    ),
    ...group(
      paint('warn', 'not read'),
      unread.map((line) => ({ line })),
    ),
  ];
}

function drawn(branches: readonly Branch[], indent: string): readonly string[] {
  return branches.flatMap(({ line, below = [] }, index) => {
    const isLast = index === branches.length - 1;
    return [`${indent}${isLast ? '└─' : '├─'} ${line}`, ...drawn(below, `${indent}${isLast ? '   ' : '│  '}`)];
  });
}

/** A status as lines for a person: a tree. Pure. */
export function renderStatus(view: StatusView, drawing: Drawing): readonly string[] {
  return [headOf(view, drawing), ...drawn(branchesOf(view, drawing), '')];
}

/** The line of a status among many, and what it waits for. */
function rowsOf(view: StatusView, drawing: Drawing): readonly string[] {
  const { upgrade } = view.facts;
  const bar = upgrade && view.estimate ? `  ${upgrade.step} ${barOf(view.estimate, drawing)}` : '';
  const waits = upgrade?.blockedBy;
  return [
    `${headOf(view, drawing)}${bar}`,
    ...(waits === undefined ? [] : [`  waits for ${drawing.paint('warn', waits)}`]),
  ];
}

/** Many statuses, one line each, and what each of them waits for. Pure. */
export const renderOverview = (views: readonly StatusView[], drawing: Drawing): readonly string[] =>
  views.flatMap((view) => rowsOf(view, drawing));

/** How soon a resource wants to be looked at: 0 where something has failed, 1 where it waits or is paused, 2 where it moves, 3 where all is as it should be. */
function urgencyOf({ facts, deleting, paused }: StatusView): number {
  const { failure, processingError, upgrade, ready = 0, replicas = 0, conditions } = facts;
  const isDegraded = conditions.some(({ type, status }) => type === 'Degraded' && status === 'True');
  if (failure || processingError || isDegraded) return 0;
  if (upgrade?.blockedBy !== undefined || paused !== undefined) return 1;
  return deleting || upgrade || ready < replicas ? 2 : 3;
}

/** As many statuses as fit into so many lines, the most urgent first, and how many there are beside. Pure. */
export function renderUrgent(views: readonly StatusView[], lines: number, drawing: Drawing): readonly string[] {
  const sorted = [...views].sort((a, b) => urgencyOf(a) - urgencyOf(b));
  const shown: string[] = [];
  let count = 0;
  for (const view of sorted) {
    const rows = rowsOf(view, drawing);
    if (shown.length + rows.length >= lines) break;
    shown.push(...rows);
    count += 1;
  }
  return [...shown, drawing.paint('dim', `and ${views.length - count} more; status KIND/NAME shows one`)];
}
