import type { Construct } from 'constructs';
import { addPolicy, isUser } from './admission-policy.ts';
import type { Installation, PodSecurityLevel } from './options.ts';
import { baselineRules, restrictedRules, type PodRule } from './pod-security-rules.ts';
import { operatorUser } from './webhooks.ts';

/** What the templates that the operator writes have to hold to, by level. Each level holds to those before it. */
export const podRules: Readonly<Record<PodSecurityLevel, readonly PodRule[]>> = {
  privileged: [],
  baseline: baselineRules,
  restricted: [...baselineRules, ...restrictedRules],
};

/**
 * Holds the templates of the StatefulSets and Jobs that the operator's account writes to a level of the Pod Security Standards. A policy of the API server and not
 * a check of our own, so that it holds for anyone who has the token; on the templates, since pods are made by other controllers. A template that stays as it is passes: what ran before goes on.
 */
export function holdToPodSecurity(scope: Construct, installation: Installation, level: PodSecurityLevel): void {
  const rules = podRules[level];
  if (rules.length === 0) return;
  addPolicy(scope, 'pod-security-policy', {
    name: `${installation.name}-pod-security`,
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['apps'], apiVersions: ['*'], resources: ['statefulsets'], operations: ['CREATE', 'UPDATE'] },
        { apiGroups: ['batch'], apiVersions: ['*'], resources: ['jobs'], operations: ['CREATE', 'UPDATE'] },
      ],
    },
    matchConditions: [
      isUser(operatorUser(installation)),
      {
        name: 'the-template-changes',
        expression: 'oldObject == null || object.spec.template != oldObject.spec.template',
      },
    ],
    validations: rules.map(({ expression, wrong }) => ({
      expression,
      message: `${wrong}: the operator makes pods at level ${level} of the Pod Security Standards (option podSecurity)`,
      reason: 'Forbidden',
    })),
  });
}
