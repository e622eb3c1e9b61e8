import type { Instant, Job, JobInput, Pod } from '@ordinal/client';
import { jobs, timestamp } from '@ordinal/client';
import { identityOf } from '../decision/index.ts';
import { answerOfJob } from '../health-check/job-gate.ts';
import type { Member } from './member.ts';
import type { RolloutAnswer } from './observation.ts';
import type { MemberChecks } from './policy.ts';
import type { SpecGate } from './spec-check.ts';

/** How long a finished Job stays to be looked at, in seconds. */
const keptSeconds = 3600;

/** How long the Job of a gate may run where the spec does not say, in milliseconds. */
const defaultTimeoutMs = 10 * 60_000;

/** What the Jobs of gates are made from, and found in. */
export interface GateJobs extends Pick<MemberChecks, 'durationOf'> {
  readonly now: Instant;
  /** The Jobs that there are. */
  readonly present: readonly Job[];
  /** The pods of the set that a Job finds as the peers of its member. */
  readonly pods: readonly Pod[];
  /** The metadata of a Job with this name: where it is, and whose. */
  readonly metadata: (name: string) => JobInput['metadata'];
  readonly hashOf: (value: unknown) => string;
  /** The annotation that says when a Job was asked. */
  readonly askedAtAnnotation: string;
  /** What the variables of a Job's environment begin with, such as `ORDINAL`. */
  readonly environmentPrefix: string;
}

function environmentOf(candidate: Member, { pods, environmentPrefix: prefix }: GateJobs) {
  const peers = pods.filter(
    ({ metadata }) => metadata.uid !== candidate.uid && metadata.deletionTimestamp === undefined,
  );
  return [
    { name: `${prefix}_POD`, value: candidate.name },
    { name: `${prefix}_POD_IP`, value: candidate.ip ?? '' },
    { name: `${prefix}_PEERS`, value: peers.map(({ metadata }) => metadata.name).join(',') },
    { name: `${prefix}_PEER_IPS`, value: peers.map(({ status }) => status?.podIP ?? '').join(',') },
  ];
}

/** The Job of a gate for one member: the name shows both, so that it is the same Job for every creator, however often. */
function jobOf(gate: SpecGate, candidate: Member, known: GateJobs): JobInput {
  const spec = gate.job?.template;
  if (!spec) throw new TypeError(`gate ${gate.name} has no Job`);
  const { now, metadata, hashOf, durationOf, askedAtAnnotation } = known;
  const environment = environmentOf(candidate, known);
  const { template } = spec;
  const containers = (template.spec?.containers ?? []).map((container) => ({
    ...container,
    env: [...environment, ...(container.env ?? [])],
  }));
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...metadata(`gate-${gate.name}-${hashOf([candidate.uid, gate])}`),
      annotations: { [askedAtAnnotation]: timestamp(now) },
    },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: keptSeconds,
      activeDeadlineSeconds: Math.ceil(durationOf(gate.timeout, defaultTimeoutMs) / 1000),
      ...spec,
      template: { ...template, spec: { restartPolicy: 'Never', ...template.spec, containers } },
    },
  };
}

/** What the Job of a gate says of a member, and what must be done to make it say something. */
export function answerOfGateJob(gate: SpecGate, candidate: Member, known: GateJobs): RolloutAnswer {
  const { now, present, askedAtAnnotation } = known;
  const wanted = jobOf(gate, candidate, known);
  const job = present.find(({ metadata }) => metadata.name === wanted.metadata.name);
  const { next, ...answer } = answerOfJob(job, { now, askedAtAnnotation });
  const because = `gate ${gate.name} is asked for ${candidate.name}`;
  if (next === 'create') return { ...answer, actions: [{ kind: 'create', descriptor: jobs, object: wanted, because }] };
  if (next !== 'replace' || !job) return answer;
  return {
    ...answer,
    actions: [{ kind: 'delete', descriptor: jobs, target: identityOf(job), because: `${because} again` }],
  };
}
