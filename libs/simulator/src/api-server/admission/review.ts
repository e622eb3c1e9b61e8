import type { JsonObject } from '../request.ts';
import type { AdmissionAttributes } from './attributes.ts';

/** The AdmissionReview (v1) that is sent to a webhook, under a uid of its own. */
export function reviewOf(attributes: AdmissionAttributes, uid: string): JsonObject {
  const { resource, subresource, namespace, name, object, oldObject, operation, user, dryRun, options } = attributes;
  const kind = attributes.objectKind ?? { group: resource.group, version: resource.version, kind: resource.kind };
  const place = { group: resource.group, version: resource.version, resource: resource.plural };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind,
      resource: place,
      requestKind: kind,
      requestResource: place,
      ...(subresource !== undefined && { subResource: subresource, requestSubResource: subresource }),
      ...(name !== '' && { name }),
      ...(namespace !== undefined && { namespace }),
      operation,
      userInfo: {
        username: user.name,
        ...(user.uid !== undefined && { uid: user.uid }),
        ...(user.groups && { groups: user.groups }),
        ...(user.extra && { extra: user.extra }),
      },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun,
      options,
    },
  };
}
