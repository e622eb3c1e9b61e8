import type { Pod } from '@ordinal/client';
import { DisruptionGate, membersOfSet, policyOf, protect, questionKey } from '@ordinal/lifecycle';
import type { DisruptionContext, FoundMembers, MemberChecks, ObservedMembers } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import type { Website } from './website.ts';
import { websites } from './website.ts';

/** What the pods of a Website are asked before one goes. */
export const checks: MemberChecks = {
  upgrade: { gates: [{ name: 'drained', target: 'Self', http: { path: '/drained' } }] },
  ...{ port: 8080, container: 'web', defaultGates: [], durationOf: (_text, defaultMs) => defaultMs },
};

function observe({ metadata }: Website, { set, pods, reserved }: FoundMembers): ObservedMembers {
  const replicas = set?.spec.replicas ?? 0;
  const seen = {
    statefulSet: set,
    pods,
    revisionAnnotation: 'example.com/revision',
    finalizer: '',
    template: undefined,
  };
  const idle = { revision: '', finalizer: '', setIsCurrent: true } as const;
  const rollout = {
    ...{ ...idle, ...policyOf(checks, replicas), members: membersOfSet(seen) },
    ...{ replicas, wantedReplicas: replicas, ...(reserved === undefined ? {} : { reserved }) },
  };
  const view: ObservedMembers['view'] = ({ answers }) => ({
    rollout: { ...rollout, answer: (question) => answers.get(questionKey(question)) },
    ...{ setName: metadata.name, gatedReplicas: replicas, pods, isUnclaimed: () => false },
  });
  return { pods, checks, view };
}

/** Answers the API server at the webhook's address. `reader`: the informers of the controller of Websites. */
export function gateOf(reader: CacheReader, context: DisruptionContext): DisruptionGate {
  const protection = protect<Website>({
    descriptor: websites,
    reader,
    statuses: { believed: (site) => site },
    reservationAnnotation: 'example.com/reservation',
    ownerOf: ({ metadata: { namespace = '', labels } }: Pod) =>
      labels?.['website'] === undefined ? undefined : { namespace, name: labels['website'] },
    memberSelector: ({ metadata }) => `website=${metadata.name}`,
    observe,
  });
  return new DisruptionGate({ ...context, protection, operator: 'system:serviceaccount:web:operator' });
}
