import type { Construct } from 'constructs';
import { addPolicy } from './admission-policy.ts';
import { operatorName } from './options.ts';
import { admissionKinds } from './webhooks.ts';

/** The annotation on a CustomResourceDefinition without which it can't be deleted: with it go all resources of its kind. */
const allowDeletionAnnotation = 'ordinal.dev/allow-deletion';

/**
 * Refuses the deletion of our CustomResourceDefinitions unless an annotation on them allows it. Without it, `kubectl delete -f install.yaml` would begin
 * with deleting every resource of the kinds, and take the operator, which has to finish them, at the same time.
 */
export function protectDefinitions(scope: Construct): void {
  const ours = admissionKinds.map(({ plural, group }) => `${plural}.${group}`).sort();
  addPolicy(scope, 'definitions-policy', {
    name: `${operatorName}-definitions`,
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          apiVersions: ['*'],
          resources: ['customresourcedefinitions'],
          operations: ['DELETE'],
        },
      ],
    },
    // By the object and not by `resourceNames`: the deletion of a collection has no name, and asks about each of its objects.
    matchConditions: [{ name: 'one-of-ours', expression: `oldObject.metadata.name in ${JSON.stringify(ours)}` }],
    validations: [
      {
        expression: `has(oldObject.metadata.annotations) && '${allowDeletionAnnotation}' in oldObject.metadata.annotations && oldObject.metadata.annotations['${allowDeletionAnnotation}'] == 'true'`,
        message: `all resources of this kind would be deleted with it: delete them first, while the operator runs, and then annotate the definition with ${allowDeletionAnnotation}=true`,
      },
    ],
  });
}
