import type { Client } from '@ordinal/client';
import type { Permissions, PolicyRule } from '@ordinal/constructs';
import type { ControllerDefinition } from '@ordinal/runtime';
import { permissionsOf, type ProgramNeeds } from '../permissions/installed.ts';
import { missingDefinitions } from './definitions.ts';
import type { Missing } from './missing.ts';

/** What is looked at. */
export interface PreflightOptions {
  readonly client: Client;
  readonly definitions: readonly ControllerDefinition[];
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** What the program needs for itself, and the namespace in which it does. */
  readonly needs: ProgramNeeds & { readonly namespace: string };
}

/**
 * Looks whether the CRDs are there as they are needed, and whether every permission of the install manifest that these settings use is given. Says exactly what is
 * missing. That something could not be looked at is not reported as missing: the watches will tell.
 */
export async function preflight(options: PreflightOptions): Promise<readonly Missing[]> {
  const { client, definitions } = options;
  const kinds = definitions.map(({ primary }) => primary);
  return [...(await missingDefinitions(client, kinds)), ...(await missingPermissions(options))];
}

/** Whether one thing may be done, in one namespace or, where that is empty, in all. */
interface Question {
  readonly group: string;
  /** With the subresource after a slash. */
  readonly resource: string;
  readonly verb: string;
  readonly namespace: string;
  readonly name?: string;
}

const questionsAtATime = 4;

async function missingPermissions(options: PreflightOptions): Promise<readonly Missing[]> {
  const questions = questionsOf(permissionsOf(options.definitions, options.needs), options);
  const answers: boolean[] = [];
  // Some at a time: each connection of the pool that is opened for this would stay open.
  for (let from = 0; from < questions.length; from += questionsAtATime) {
    const asked = questions.slice(from, from + questionsAtATime);
    answers.push(...(await Promise.all(asked.map((question) => isAllowed(options.client, question)))));
  }
  return questions
    .filter((_, index) => answers[index] === false)
    .map((question) => ({ what: 'permission', message: forbidden(question) }));
}

function questionsOf(
  { watched, cluster, own }: Permissions,
  { namespaces, needs }: Pick<PreflightOptions, 'namespaces' | 'needs'>,
): readonly Question[] {
  const everywhere = namespaces.length === 0 ? [''] : namespaces;
  return [...ask(watched, everywhere), ...ask(cluster, ['']), ...ask(own, [needs.namespace])];
}

const ask = (rules: readonly PolicyRule[], places: readonly string[]): readonly Question[] =>
  rules.flatMap(({ apiGroups: [group = ''], resources, verbs, resourceNames }) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        places.flatMap((namespace) =>
          (resourceNames ?? [undefined]).map((name) => ({
            group,
            resource,
            verb,
            namespace,
            ...(name === undefined ? {} : { name }),
          })),
        ),
      ),
    ),
  );

function forbidden({ verb, resource, group, namespace, name }: Question): string {
  const what = `${group === '' ? resource : `${resource}.${group}`}${name === undefined ? '' : ` ${name}`}`;
  const where = namespace === '' ? 'in the cluster' : `in namespace ${namespace}`;
  return `the operator may not ${verb} ${what} ${where}: give it that in its Role or ClusterRole`;
}

async function isAllowed(
  client: Client,
  { group, resource: written, verb, namespace, name }: Question,
): Promise<boolean> {
  const [resource = '', subresource] = written.split('/');
  const attributes = {
    group,
    resource,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === '' ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
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
