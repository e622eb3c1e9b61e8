import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

/** What a ValidatingAdmissionPolicy says of itself. */
export interface PolicyOptions {
  readonly name: string;
  readonly matchConstraints: object;
  /** CEL; where one is false, the request is none of the policy's. */
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  /** CEL; where one is false, the request is refused with its message. */
  readonly validations: readonly { readonly expression: string; readonly message: string; readonly reason?: string }[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** Adds a policy that refuses what it does not allow, and puts it in force for the whole cluster. */
export function addPolicy(scope: Construct, id: string, { name, ...spec }: PolicyOptions): void {
  new ApiObject(scope, id, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { failurePolicy: 'Fail', ...spec },
  });
  new ApiObject(scope, `${id}-binding`, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
}

/** The condition that a request is the operator's own, or that of a client with its token. */
export function isUser(user: string): { readonly name: string; readonly expression: string } {
  return { name: 'the-operator', expression: `request.userInfo.username == '${user}'` };
}
