import { systemClasses } from '../kinds/priority-class.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { forbidden } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

const storage = 'priorityclasses.scheduling.k8s.io';

/** Creates the classes that every cluster begins with. */
export function createPriorityClasses(server: ApiServer): void {
  for (const { name, value, description } of systemClasses)
    server.execute({
      verb: 'create',
      resource: { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' },
      userAgent: 'kube-apiserver',
      body: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description },
    });
}

/** A pod's spec with the priority of its class, or of the default class. Refuses one whose class does not exist. */
export function withPriority(server: ApiServer, attributes: AdmissionAttributes, spec: JsonObject): JsonObject {
  const { resource, name } = attributes;
  const found = classOf(server, attributes, spec);
  const priority = Number(found?.['value'] ?? 0);
  if (typeof spec['priority'] === 'number' && spec['priority'] !== priority)
    throw forbidden(
      resource,
      name,
      `the integer value of priority (${spec['priority']}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  const policy = found?.['preemptionPolicy'] ?? 'PreemptLowerPriority';
  if (spec['preemptionPolicy'] !== undefined && spec['preemptionPolicy'] !== policy)
    throw forbidden(
      resource,
      name,
      `the string value of PreemptionPolicy (${String(spec['preemptionPolicy'])}) must not be provided in pod spec; priority admission controller computed ${String(policy)} from the given PriorityClass name`,
    );
  return {
    ...spec,
    ...(found !== undefined && { priorityClassName: found.metadata.name }),
    priority,
    preemptionPolicy: policy,
  };
}

function classOf(
  server: ApiServer,
  { resource, name }: AdmissionAttributes,
  { priorityClassName }: JsonObject,
): StoredObject | undefined {
  if (typeof priorityClassName !== 'string' || priorityClassName === '') return defaultClass(server);
  const found = server.store.get(storage, priorityClassName);
  if (found === undefined) throw forbidden(resource, name, `no PriorityClass with name ${priorityClassName} was found`);
  return found;
}

/** The class of pods that name none; where there are several, the lowest. */
function defaultClass(server: ApiServer): StoredObject | undefined {
  const defaults = server.store
    .snapshot(storage)
    .flatMap(([, found]) => (found['globalDefault'] === true ? [found] : []));
  return defaults.sort((left, right) => Number(left['value']) - Number(right['value']))[0];
}

/** Refuses a second class that is to be the default. */
export function checkDefaultClass(server: ApiServer, { resource, name, object }: AdmissionAttributes): void {
  if (resource.storage !== storage || object?.['globalDefault'] !== true) return;
  const found = defaultClass(server);
  if (found !== undefined && found.metadata.name !== name)
    throw forbidden(
      resource,
      name,
      `PriorityClass ${found.metadata.name} is already marked as default. Only one default can exist`,
    );
}
