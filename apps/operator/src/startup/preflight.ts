import { customResourceDefinitions, isApiError } from '@ordinal/client';
import type { Client, ResourceDescriptor } from '@ordinal/client';
import type { ControllerDefinition } from '@ordinal/runtime';
import type { Grant } from '../permissions/derive.ts';
import { grantsOf } from '../permissions/derive.ts';

/** One thing that is missing before the operator can work. */
export interface Missing {
  readonly what: 'definition' | 'version' | 'permission';
  /** What is missing and what to do about it. */
  readonly message: string;
}

/** What is looked at. */
export interface PreflightOptions {
  readonly client: Client;
  readonly definitions: readonly ControllerDefinition[];
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
}

/**
 * Looks whether the CRDs are there in the versions that are needed, and whether every permission is given. Says exactly what is missing. That something could
 * not be looked at is not reported as missing: the watches will tell.
 */
export async function preflight(options: PreflightOptions): Promise<readonly Missing[]> {
  const kinds = options.definitions.map(({ primary }) => primary).filter(({ group }) => isCustom(group));
  const definitions = await Promise.all([...new Set(kinds)].map((kind) => missingDefinition(options.client, kind)));
  return [...definitions.filter((missing) => missing !== undefined), ...(await missingPermissions(options))];
}

const questionsAtATime = 4;

/** Kubernetes' own groups have no CustomResourceDefinition: the core group, those without a dot, and those under k8s.io. */
const isCustom = (group: string): boolean => group.includes('.') && !group.endsWith('.k8s.io');

async function missingDefinition(client: Client, kind: ResourceDescriptor): Promise<Missing | undefined> {
  const name = `${kind.plural}.${kind.group}`;
  try {
    const found = await client(customResourceDefinitions).cluster().find(name);
    if (!found)
      return {
        what: 'definition',
        message: `the CustomResourceDefinition ${name} is not installed: apply the install manifest`,
      };
    const served = found.spec.versions.filter((version) => version.served).map((version) => version.name);
    if (served.includes(kind.version)) return undefined;
    return {
      what: 'version',
      message: `the CustomResourceDefinition ${name} serves ${served.join(', ')} and not ${kind.version}: apply the install manifest of this version of the operator`,
    };
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

async function missingPermissions({ client, definitions, namespaces }: PreflightOptions): Promise<readonly Missing[]> {
  const grants = new Map<string, Grant>();
  for (const grant of definitions.flatMap(grantsOf))
    grants.set(`${grant.verb} ${grant.group}/${grant.resource}`, grant);
  const questions = [...grants.values()].flatMap((grant) => {
    const places = grant.scope === 'Cluster' || namespaces.length === 0 ? [''] : namespaces;
    return places.map((namespace) => ({ grant, namespace }));
  });
  const answers: boolean[] = [];
  // Some at a time: each connection of the pool that is opened for this would stay open.
  for (let from = 0; from < questions.length; from += questionsAtATime) {
    const asked = questions.slice(from, from + questionsAtATime);
    answers.push(...(await Promise.all(asked.map(({ grant, namespace }) => isAllowed(client, grant, namespace)))));
  }
  return questions
    .filter((_, index) => answers[index] === false)
    .map(({ grant, namespace }) => ({ what: 'permission', message: forbidden(grant, namespace) }));
}

function forbidden({ verb, resource, group }: Grant, namespace: string): string {
  const where = namespace === '' ? 'in the cluster' : `in namespace ${namespace}`;
  return `the operator may not ${verb} ${group === '' ? resource : `${resource}.${group}`} ${where}: give it that in its Role or ClusterRole`;
}

async function isAllowed(client: Client, grant: Grant, namespace: string): Promise<boolean> {
  const [resource = '', subresource] = grant.resource.split('/');
  const attributes = {
    group: grant.group,
    resource,
    verb: grant.verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === '' ? {} : { namespace }),
  };
  const review = (await client.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    },
  })) as { readonly status?: { readonly allowed?: boolean } }; // The reply to a review is the review with its status.
  return review.status?.allowed ?? false;
}
