import { isTerminatingDefinition } from '../custom/termination.ts';
import { definitionStorage } from '../kinds/definition-costs.ts';
import { specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { failure, forbidden, notFound, Refusal } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { withDefaultLimits } from './limit-range.ts';
import { checkDefaultClass, withPriority } from './priority.ts';
import { withRuntimeClass } from './runtime-class.ts';
import { withServiceAccount } from './service-account.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

/** What the server's own admission makes of a new object: namespaces that end take none, pods get what their service account and classes give them. */
export function admitBuiltin(server: ApiServer, attributes: AdmissionAttributes): JsonObject {
  checkDefinition(server, attributes);
  checkNamespace(server, attributes);
  const { object: given = {} } = attributes;
  const isPod = attributes.resource.storage === 'pods' && attributes.subresource === undefined;
  const object = isPod ? withDefaultLimits(server, attributes, given) : given;
  if (!server.completes) return object;
  checkDefaultClass(server, attributes);
  return isPod ? admittedPod(server, attributes, object) : object;
}

function admittedPod(server: ApiServer, attributes: AdmissionAttributes, object: JsonObject): JsonObject {
  const pod = withServiceAccount(server, attributes, object);
  const spec = withPriority(server, attributes, specOf(pod));
  return { ...pod, spec: withRuntimeClass(server, attributes, spec) };
}

function checkDefinition(server: ApiServer, { resource, name }: AdmissionAttributes): void {
  if (resource.custom && isTerminatingDefinition(server.store.get(definitionStorage, resource.storage)))
    throw forbidden(resource, name, 'create not allowed while custom resource definition is terminating');
}

function checkNamespace(server: ApiServer, { resource, namespace, name, user }: AdmissionAttributes): void {
  if (!resource.namespaced || namespace === undefined) return;
  const found = server.store.get('namespaces', namespace);
  if (found === undefined) {
    if (server.requiresNamespaces) throw notFound(namespaces, namespace);
    return;
  }
  if (found.metadata.deletionTimestamp === undefined || user.name === '') return;
  const refusal = forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  throw new Refusal(
    failure({
      code: 403,
      reason: 'Forbidden',
      message: refusal.message,
      details: {
        ...refusal.status.details,
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    }),
  );
}

/** Namespaces that may not be deleted. */
const kept: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** Refuses the deletion of namespaces that have to stay. */
export function checkDeletion({ resource, name }: Pick<AdmissionAttributes, 'resource' | 'name'>): void {
  if (resource.storage === 'namespaces' && kept.has(name))
    throw forbidden(resource, name, 'this namespace may not be deleted');
}
