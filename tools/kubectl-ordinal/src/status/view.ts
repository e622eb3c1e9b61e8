import type { Instant, Job, PersistentVolumeClaim } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import { saysYes } from '../checks/ask-members.ts';
import type { GateAnswers } from '../checks/gate-asker.ts';
import type { Surroundings, SeenMember } from '../cluster/surroundings.ts';
import type { OrdinalResource } from '../kinds.ts';
import { commandFor, commandLike } from '../verbs/command.ts';
import { pausedOf } from '../verbs/work.ts';
import type { ExternalFacts, Facts } from './facts.ts';
import { factsOf } from './facts.ts';
import type { Estimate } from './estimate.ts';
import { estimateOf } from './estimate.ts';

/** A volume of a member. */
interface VolumeView {
  readonly name: string;
  readonly phase: string;
  readonly size?: string | undefined;
  /** What it is to grow to, while it has not. */
  readonly growsTo?: string | undefined;
}

/** A member. */
export interface MemberView {
  readonly name: string;
  /** What its pod's label says, where `spec.upgrade.role` names one. */
  readonly role?: string | undefined;
  readonly version: string;
  readonly state: 'ready' | 'not ready' | 'ending';
  readonly since?: string | undefined;
  readonly revision: string;
  /** The upgrade replaces it yet. */
  readonly outdated: boolean;
  readonly node?: string | undefined;
  readonly volumes: readonly VolumeView[];
  /** What keeps it from getting ready. */
  readonly cause?: string | undefined;
}

/** A gate, and what it said last. */
export interface GateView {
  readonly name: string;
  readonly target: string;
  readonly state: 'closed' | 'open' | 'open or not asked';
  readonly answer?: string | undefined;
  readonly since?: string | undefined;
  /** When it was asked for this answer, by this program. */
  readonly askedAt?: string | undefined;
}

/** A Job of the resource. */
export interface JobView {
  readonly name: string;
  readonly purpose: string;
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly since?: string | undefined;
}

/** All that `status` shows of a resource. With `--output json` it is printed as it is. */
export interface StatusView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly deleting: boolean;
  readonly facts: Facts;
  /** What of the work on it is paused; absent: nothing. */
  readonly paused?: 'all' | 'upgrades' | undefined;
  /** The command by which it goes on, where it is paused. */
  readonly resume?: string | undefined;
  /** The command of this program that opens what holds an upgrade. */
  readonly override?: string | undefined;
  readonly estimate?: Estimate | undefined;
  readonly workload?:
    { readonly kind: string; readonly name: string; readonly ready: number; readonly replicas: number } | undefined;
  readonly members: readonly MemberView[];
  readonly gates: readonly GateView[];
  readonly jobs: readonly JobView[];
  readonly external: readonly ExternalFacts[];
  /** What the user may not read, and why the picture is not whole. */
  readonly unread: readonly string[];
}

function volumeOf({ metadata, spec, status }: PersistentVolumeClaim): VolumeView {
  const size = status?.capacity?.['storage'];
  const asked = spec?.resources?.requests?.['storage'];
  return {
    name: metadata.name,
    phase: status?.phase ?? 'Pending',
    size: size ?? asked,
    ...(size !== undefined && asked !== size && { growsTo: asked }),
  };
}

const tagOf = (image: string): string => /:([^/:@]+)(@.*)?$/.exec(image)?.[1] ?? image;

function roleLabelOf(resource: OrdinalResource): string | undefined {
  return resource.kind === 'CloudDatabase' ? undefined : resource.spec.upgrade?.role?.label;
}

function memberOf(member: SeenMember, roleLabel: string | undefined, wanted: string | undefined): MemberView {
  const { object } = member;
  const deletedAt = object.metadata.deletionTimestamp;
  return {
    name: member.name,
    role: roleLabel === undefined ? undefined : object.metadata.labels?.[roleLabel],
    version: tagOf(object.spec?.containers[0]?.image ?? ''),
    state: deletedAt === undefined ? (member.ready ? 'ready' : 'not ready') : 'ending',
    since: deletedAt ?? new Date(member.since).toISOString(),
    // One that the StatefulSet's controller replaces has no other.
    revision: member.revision === '' ? (object.metadata.labels?.['controller-revision-hash'] ?? '') : member.revision,
    outdated: wanted !== undefined && member.revision !== wanted,
    node: object.spec?.nodeName,
    volumes: member.claims.map(volumeOf),
    cause: member.unready,
  };
}

/** The gate that holds an upgrade, as `blockedBy` names it. */
const closedGate = (blockedBy: string | undefined) => /^gate ([^:]+): (.*)$/s.exec(blockedBy ?? '');

/** A gate as its members say it; as it was where none was asked, and where an upgrade waits for it. */
function asked(gate: GateView, { answers, askedAt }: GateAnswers): GateView {
  const said = answers.filter((answer) => answer.check.name === gate.name && answer.said !== undefined);
  const shown = said.find((answer) => !saysYes(answer)) ?? said[0];
  if (gate.state === 'closed' || shown?.said === undefined) return gate;
  const answer = `${shown.member}: ${shown.said.answer.message}`;
  return { ...gate, state: saysYes(shown) ? 'open' : 'closed', answer, askedAt: timestamp(askedAt) };
}

function gatesOf(resource: OrdinalResource, { upgrade }: Facts, said: GateAnswers): readonly GateView[] {
  if (resource.kind === 'CloudDatabase') return [];
  const [, closed, answer] = closedGate(upgrade?.blockedBy) ?? [];
  const since = upgrade?.since;
  const named = (resource.spec.upgrade?.gates ?? []).map(({ name, target }) => ({ name, target: String(target) }));
  // A kind asks gates of its own where the spec names none.
  const own = [closed, ...said.answers.map(({ check }) => check.name)].filter((name) => name !== undefined);
  const unnamed = [...new Set(own)].filter((name) => !named.some((gate) => gate.name === name));
  const gates = [...named, ...unnamed.map((name) => ({ name, target: 'Peers' }))];
  return gates.map((gate): GateView =>
    gate.name === closed
      ? { ...gate, state: 'closed', answer, since }
      : asked({ ...gate, state: 'open or not asked' }, said),
  );
}

const conditionIn = ({ status }: Job, type: string) =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

function jobOf(job: Job): JobView {
  const { name, labels, creationTimestamp } = job.metadata;
  const [complete, failed] = [conditionIn(job, 'Complete'), conditionIn(job, 'Failed')];
  const ended = complete ?? failed;
  return {
    name,
    purpose: labels?.[purposeLabel] ?? 'gate',
    state: complete ? 'succeeded' : failed ? 'failed' : 'running',
    since: ended?.lastTransitionTime ?? job.status?.startTime ?? creationTimestamp,
  };
}

/** No gate was asked. */
const noneAsked: GateAnswers = { askedAt: 0, answers: [] };

/** What `status` shows of a resource. `said`: what members have said to its gates; absent: none was asked. Pure. */
export function statusView(around: Surroundings, now: Instant, said: GateAnswers = noneAsked): StatusView {
  const { resource, set } = around;
  const { kind, metadata } = resource;
  const facts = factsOf(resource);
  const wanted = facts.upgrade?.revision;
  const roleLabel = roleLabelOf(resource);
  const paused = pausedOf(resource);
  const estimate = estimateOf(facts, now);
  return {
    ...{ kind, namespace: metadata.namespace ?? '', name: metadata.name, facts },
    deleting: metadata.deletionTimestamp !== undefined,
    paused,
    resume: paused && commandFor('resume', resource),
    override: facts.upgrade?.release && commandLike(facts.upgrade.release, resource),
    estimate: paused && estimate ? { done: estimate.done } : estimate,
    workload: set && {
      kind: 'StatefulSet',
      name: set.metadata.name,
      ready: set.status?.readyReplicas ?? 0,
      replicas: set.spec?.replicas ?? 1,
    },
    members: around.members.map((member) => memberOf(member, roleLabel, wanted)),
    gates: gatesOf(resource, facts, said),
    jobs: around.jobs.map(jobOf).sort((a, b) => (instantOf(b.since) ?? 0) - (instantOf(a.since) ?? 0)),
    external: facts.external,
    unread: around.unread,
  };
}
