import type { Construct } from 'constructs';
import { addPolicy, isUser } from './admission-policy.ts';
import type { Installation } from './options.ts';
import { operatorUser, webhookNames } from './webhooks.ts';

/** What of a webhook decides which requests it is sent, and what becomes of them. */
const pinned = [
  'rules',
  'failurePolicy',
  'matchPolicy',
  'namespaceSelector',
  'objectSelector',
  'sideEffects',
  'timeoutSeconds',
  'admissionReviewVersions',
  'matchConditions',
] as const;

/**
 * Lets the operator's account change nothing of its webhooks but the authority that they trust (`caBundle`). Its role can't say so: with the right to patch the
 * configuration, anyone who has the token could be sent every object that is written in the cluster, or have every write refused.
 */
export function pinWebhooks(scope: Construct, installation: Installation): void {
  const { configuration } = webhookNames(installation.name);
  const same = pinned.map((field) => `now.?${field} == was.?${field}`);
  const sameService = 'now.clientConfig.?service == was.clientConfig.?service';
  const sameUrl = 'now.clientConfig.?url == was.clientConfig.?url';
  const isPinned = ['now.name == was.name', ...same, sameService, sameUrl].join(' && ');
  addPolicy(scope, 'webhooks-policy', {
    name: `${installation.name}-webhooks`,
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['admissionregistration.k8s.io'],
          apiVersions: ['*'],
          resources: ['validatingwebhookconfigurations'],
          operations: ['UPDATE'],
        },
      ],
    },
    matchConditions: [
      isUser(operatorUser(installation)),
      { name: 'its-own', expression: `object.metadata.name == '${configuration}'` },
    ],
    validations: [
      {
        expression: `object.?webhooks.orValue([]).size() == oldObject.?webhooks.orValue([]).size() && object.?webhooks.orValue([]).all(now, oldObject.?webhooks.orValue([]).exists(was, ${isPinned}))`,
        message: 'the operator changes nothing of its webhooks but caBundle',
        reason: 'Forbidden',
      },
    ],
  });
}
