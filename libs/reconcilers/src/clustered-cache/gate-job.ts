import type { Instant, Job, JobInput } from '@ordinal/client';
import { jobs, timestamp } from '@ordinal/client';
import { cacheChild, childMetadata, hashOf, milliseconds } from '@ordinal/constructs';
import type { Member, RolloutAnswer } from '@ordinal/lifecycle';
import { identityOf, answerOfJob } from '@ordinal/lifecycle';
import { askedAtAnnotation } from '../annotations.ts';
import type { CacheObservation } from './observe.ts';
import type { effectiveGates } from './questions.ts';
import { isTakenOut } from './taken-out.ts';
import { toBuild } from './template.ts';

type Gate = ReturnType<typeof effectiveGates>[number];

/** How long a finished Job stays to be looked at, in seconds. */
const keptSeconds = 3600;

/** The Job of a gate for one member: the name tells both, so that it is the same Job whoever creates it and however often. */
function jobOf(gate: Gate, candidate: Member, seen: CacheObservation & { readonly now: Instant }): JobInput {
  const spec = gate.job?.template;
  if (!spec) throw new TypeError(`gate ${gate.name} has no Job`);
  const peers = seen.pods.filter(
    (pod) => pod.metadata.uid !== candidate.uid && pod.metadata.deletionTimestamp === undefined && !isTakenOut(pod),
  );
  const environment = [
    { name: 'ORDINAL_POD', value: candidate.name },
    { name: 'ORDINAL_POD_IP', value: candidate.ip ?? '' },
    { name: 'ORDINAL_PEERS', value: peers.map(({ metadata }) => metadata.name).join(',') },
    { name: 'ORDINAL_PEER_IPS', value: peers.map(({ status }) => status?.podIP ?? '').join(',') },
  ];
  const { template } = spec;
  const containers = (template.spec?.containers ?? []).map((container) => ({
    ...container,
    env: [...environment, ...(container.env ?? [])],
  }));
  const name = `gate-${gate.name}-${hashOf([candidate.uid, gate])}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...childMetadata({ ...cacheChild(toBuild(seen.cache)), name }),
      annotations: { [askedAtAnnotation]: timestamp(seen.now) },
    },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: keptSeconds,
      activeDeadlineSeconds: Math.ceil(milliseconds(gate.timeout ?? '10m') / 1000),
      ...spec,
      template: { ...template, spec: { restartPolicy: 'Never', ...template.spec, containers } },
    },
  } as JobInput; // The schema of the gate is that of a Job's spec.
}

/** What the Job of a gate says of a member, and what must be done to make it say something. */
export function answerOfGateJob(
  gate: Gate,
  candidate: Member,
  seen: CacheObservation & { readonly now: Instant },
): RolloutAnswer {
  const wanted = jobOf(gate, candidate, seen);
  const job: Job | undefined = seen.jobs.find(({ metadata }) => metadata.name === wanted.metadata.name);
  const { next, ...answer } = answerOfJob(job, { now: seen.now, askedAtAnnotation });
  const because = `gate ${gate.name} is asked for ${candidate.name}`;
  if (next === 'create') return { ...answer, actions: [{ kind: 'create', descriptor: jobs, object: wanted, because }] };
  if (next !== 'replace' || !job) return answer;
  return {
    ...answer,
    actions: [{ kind: 'delete', descriptor: jobs, target: identityOf(job), because: `${because} again` }],
  };
}
