import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, wrong } from './causes.ts';
import { isObject } from '../object.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

function definitionCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const names = part(spec, 'names');
  const expected = `${String(names['plural'])}.${String(spec['group'])}`;
  const versions = items(spec['versions']);
  const stored = versions.filter((version) => version['storage'] === true);
  return [
    ...(metadataOf(object)['name'] === expected
      ? []
      : [wrong('metadata.name', metadataOf(object)['name'], 'must be spec.names.plural+"."+spec.group')]),
    ...(stored.length === 1
      ? []
      : [wrong('spec.versions', versions, 'must have exactly one version marked as storage version')]),
    ...conversionCauses(part(spec, 'conversion')),
    ...storedVersionCauses(part(object, 'status')['storedVersions'], versions),
    ...versions.flatMap((version, index) =>
      part(version, 'schema')['openAPIV3Schema'] === undefined
        ? [required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')]
        : [],
    ),
  ];
}

/** Who converts objects: the server names the fields as its own form of a definition has them. */
function conversionCauses(conversion: JsonObject): readonly FieldCause[] {
  if (conversion['strategy'] !== 'Webhook') return [];
  const field = 'spec.conversion';
  const { clientConfig, conversionReviewVersions } = part(conversion, 'webhook');
  const { url, service } = isObject(clientConfig) ? clientConfig : {};
  return [
    ...(isObject(clientConfig)
      ? (url === undefined) === (service === undefined)
        ? [required(`${field}.webhookClientConfig`, 'exactly one of url or service is required')]
        : []
      : [required(`${field}.webhookClientConfig`, 'required when strategy is set to Webhook')]),
    ...(Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0
      ? []
      : [required(`${field}.conversionReviewVersions`, '')]),
  ];
}

/** A version that objects may still be stored in has to stay. */
function storedVersionCauses(stored: unknown, versions: readonly JsonObject[]): readonly FieldCause[] {
  if (!Array.isArray(stored)) return [];
  return stored
    .map(String)
    .flatMap((name, index) =>
      versions.some((version) => version['name'] === name)
        ? []
        : [
            wrong(
              `status.storedVersions[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    );
}

/** A definition with its storage version among those that objects may be stored in. */
function withStoredVersion(object: Draft): Draft {
  const status = part(object, 'status');
  const storage = items(specOf(object)['versions']).find((version) => version['storage'] === true);
  const stored: readonly unknown[] = Array.isArray(status['storedVersions']) ? status['storedVersions'] : [];
  if (storage === undefined || stored.includes(storage['name'])) return object;
  return { ...object, status: { ...status, storedVersions: [...stored, storage['name']] } };
}

/** The conditions of a definition that was accepted at once: the simulation has no naming conflicts. */
export function acceptedStatus(object: JsonObject, now: string): JsonObject {
  const spec = specOf(object);
  return {
    ...part(object, 'status'),
    conditions: [
      {
        lastTransitionTime: now,
        message: 'no conflicts found',
        reason: 'NoConflicts',
        status: 'True',
        type: 'NamesAccepted',
      },
      {
        lastTransitionTime: now,
        message: 'the initial names have been accepted',
        reason: 'InitialNamesAccepted',
        status: 'True',
        type: 'Established',
      },
    ],
    acceptedNames: spec['names'],
    storedVersions:
      part(object, 'status')['storedVersions'] ??
      items(spec['versions'])
        .filter((version) => version['storage'] === true)
        .map((version) => version['name']),
  };
}

/** What is particular to definitions of custom kinds. */
export const definitionRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  validate: definitionCauses,
  update: withStoredVersion,
};
