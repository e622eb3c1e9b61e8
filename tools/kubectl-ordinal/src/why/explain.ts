import type { Condition, Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import { annotations } from '../annotations.ts';
import type { Surroundings } from '../cluster/surroundings.ts';
import { descriptorOf } from '../kinds.ts';
import type { Facts } from '../status/facts.ts';
import { factsOf } from '../status/facts.ts';
import { ageOf } from '../terminal/age.ts';
import { commandFor, commandLike } from '../verbs/command.ts';
import { seenBy } from '../verbs/intent.ts';
import { retry } from '../verbs/work.ts';
import { ourFinalizer } from './finalizers.ts';
import type { Hindrance } from './hindrances.ts';
import { failedBefore, failedWork, hindrancesOf } from './hindrances.ts';

/** What a resource waits for. */
export interface Explanation {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** False: nothing is waited for. */
  readonly waits: boolean;
  /** What it does, or waits for: the end of a sentence that begins with its name. */
  readonly says: string;
  readonly since?: string | undefined;
  /** What releases it. */
  readonly commands: readonly string[];
  /** What is in the way that is not the operator's. */
  readonly hindrances: readonly Hindrance[];
  readonly unread: readonly string[];
}

/** The first thing that is known of a wait. */
interface Wait {
  readonly says: string;
  readonly since?: string | undefined;
  readonly commands?: readonly string[];
}

/** How long the operator may take to look at a change, in milliseconds. */
const lookWithinMs = 30_000;

function deletion({ resource }: Surroundings, facts: Facts): Wait | undefined {
  const { deletionTimestamp: since, finalizers = [], name, namespace = 'default' } = resource.metadata;
  if (since === undefined) return undefined;
  const foreign = finalizers.filter((finalizer) => !ourFinalizer(finalizer));
  if (foreign.length > 0 && foreign.length === finalizers.length) {
    const { plural } = descriptorOf(resource);
    return {
      says: `is being deleted, the operator is done with it, and it is kept by the finalizer ${foreign.join(', ')} of another client, which that client has to remove`,
      since,
      commands: [`kubectl get ${plural} ${name} -n ${namespace} -o jsonpath='{.metadata.finalizers}'`],
    };
  }
  const conditions = [
    conditionOf(facts.conditions, 'Degraded'),
    conditionOf(facts.conditions, 'Progressing'),
    conditionOf(facts.conditions, 'Ready'),
  ];
  const saying = conditions.find(
    (condition) => condition !== undefined && condition.message !== '' && saysWhy(condition),
  );
  return { says: `is being deleted${saying ? `: ${saying.message}` : ''}`, since };
}

/** A condition that says why nothing moves, and not that all is well. */
const saysWhy = ({ type, status }: Condition): boolean => (type === 'Ready' ? status !== 'True' : status === 'True');

function unseen({ resource }: Surroundings, _: Facts, now: Instant): Wait | undefined {
  const { metadata, status } = resource;
  const since = instantOf(metadata.creationTimestamp) ?? now;
  const commands = [
    'kubectl get pods -n ordinal-system',
    'kubectl logs -n ordinal-system deploy/ordinal-operator --all-pods --tail 50',
  ];
  if (status === undefined || status.conditions === undefined)
    return now - since < lookWithinMs
      ? { says: 'was just created, and the operator has not looked at it yet', since: metadata.creationTimestamp }
      : {
          says: 'has no status: the operator has not looked at it. Is it running, and does it keep this kind and namespace?',
          since: metadata.creationTimestamp,
          commands,
        };
  const { observedGeneration = 0 } = status;
  if (metadata.generation === undefined || observedGeneration >= metadata.generation) return undefined;
  return {
    says: `has a spec (generation ${metadata.generation}) that the operator has not looked at yet (it has seen generation ${observedGeneration})`,
    commands,
  };
}

function pause({ resource }: Surroundings): Wait | undefined {
  const { annotations: written } = resource.metadata;
  if (written?.[annotations.paused] !== 'true') return undefined;
  return {
    says: `is paused: the annotation ${annotations.paused} stops all work on it`,
    commands: [commandFor('resume', resource)],
  };
}

function failure({ resource }: Surroundings, { failure: failed }: Facts): Wait | undefined {
  if (failed === undefined) return undefined;
  return {
    says: `has failed (${failed.reason}): ${failed.message}. It is not tried again by itself: change the spec, put the former version back, or ask for the same again`,
    since: failed.at,
    commands: [commandFor('retry', resource)],
  };
}

function upgrade({ resource }: Surroundings, { upgrade: at, replicas = 0 }: Facts): Wait | undefined {
  if (at === undefined) return undefined;
  const { step, pod, since, blockedBy, release, updated } = at;
  const where = `is in an upgrade, ${updated} of ${replicas} members done, at step ${step}${pod === undefined ? '' : ` with ${pod}`}`;
  return {
    says: blockedBy === undefined ? where : `${where}, and waits for ${blockedBy}`,
    since,
    commands: release === undefined ? [] : [commandLike(release, resource)],
  };
}

function error(_: Surroundings, { processingError }: Facts): Wait | undefined {
  if (processingError === undefined) return undefined;
  const { reason, message, since } = processingError;
  return { says: `can’t be processed (${reason}): ${message}`, since };
}

/** Conditions that say that something is wrong, the most telling first. */
const wrong: readonly (readonly [type: string, status: Condition['status']])[] = [
  ['Degraded', 'True'],
  ['CheckFailed', 'True'],
  ['JobFailed', 'True'],
  ['Synced', 'False'],
  ['Scaled', 'False'],
  ['Restorable', 'False'],
  ['Available', 'False'],
  ['Ready', 'False'],
  ['MonitorRegistered', 'False'],
];

function conditions(around: Surroundings, facts: Facts, now: Instant): Wait | undefined {
  const found = wrong.flatMap(([type, status]) => {
    const condition = conditionOf(facts.conditions, type);
    return condition?.status === status ? [condition] : [];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const { type, status, reason, message, lastTransitionTime: since } = first;
  const { resource } = around;
  const { name, namespace = 'default' } = resource.metadata;
  const commands = [
    ...('refuses' in retry(seenBy(around, {}, now)) ? [] : [commandFor('retry', resource)]),
    // The operator asks it again by itself: what helps is that it answers.
    ...(found.some((each) => each.type === 'MonitorRegistered')
      ? [`kubectl get mss ${name} -n ${namespace} -o jsonpath='{.spec.monitorEndpoint}'`]
      : []),
  ];
  return { says: `says ${type}=${status} (${reason})${message === '' ? '' : `: ${message}`}`, since, commands };
}

/** Why something may be waited for, in the order in which one hides another. */
const reasons: readonly ((around: Surroundings, facts: Facts, now: Instant) => Wait | undefined)[] = [
  ...[deletion, unseen, pause, failure, upgrade, error, conditions],
];

/** What a resource waits for, since when, and what releases it. Pure. */
export function explain(around: Surroundings, now: Instant): Explanation {
  const { resource, unread } = around;
  const { kind, metadata } = resource;
  const facts = factsOf(resource);
  const first = reasons.map((reason) => reason(around, facts, now)).find((wait) => wait !== undefined);
  const { processingError: failing } = facts;
  // An upgrade that waits for a Job does not say that the Job is refused.
  const isSaid = failing === undefined || first?.says.includes(failing.message) === true;
  const hindrances = [
    ...(isSaid ? [] : [failedWork(around, failing)]),
    ...(facts.failure ? failedBefore(around, facts.failure.at) : []),
    ...hindrancesOf(around, now),
  ];
  return {
    ...{ kind, namespace: metadata.namespace ?? '', name: metadata.name, hindrances, unread },
    waits: first !== undefined || hindrances.length > 0,
    says:
      first?.says ??
      (hindrances.length > 0 ? 'is as it was last seen by the operator' : 'is as its spec asks, and waits for nothing'),
    since: first?.since,
    commands: first?.commands ?? [],
  };
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const ageOfTime = (time: string | undefined, now: Instant): string =>
  time === undefined ? '' : ` (since ${time}, ${ageOf(time, now)} ago)`;

const hindranceSentence = ({ about, says, since }: Hindrance, now: Instant): string =>
  sentence(`${capital(about)} ${says}${ageOfTime(since, now)}`);

const helping = (commands: readonly string[]): readonly string[] =>
  commands.length === 0
    ? []
    : [`What helps: ${[...new Set(commands)].map((command) => `\`${command}\``).join(', or ')}`];

/** What is in the way of something, by itself. Pure. */
export const hindranceText = (hindrance: Hindrance, now: Instant): string =>
  [hindranceSentence(hindrance, now), ...helping(hindrance.command === undefined ? [] : [hindrance.command])].join(' ');

/** An explanation as one paragraph. Pure. */
export function paragraphOf(
  { kind, namespace, name, says, since, commands, hindrances, unread }: Explanation,
  now: Instant,
): string {
  const all = [...commands, ...hindrances.flatMap(({ command }) => command ?? [])];
  return [
    sentence(`${kind} ${namespace}/${name} ${says}${ageOfTime(since, now)}`),
    ...hindrances.map((hindrance) => hindranceSentence(hindrance, now)),
    ...(unread.length === 0 ? [] : [sentence(`Not read: ${unread.join('; ')}`)]),
    ...helping(all),
  ].join(' ');
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
