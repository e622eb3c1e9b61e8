import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import type { JsonSchemaProps } from '@ordinal/schema';
import type { ApiServer } from './api-server.ts';

/** A CRD, as far as the comparison reads it. */
export interface Crd {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: { kind: string; plural: string };
    conversion?: unknown;
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema?: { openAPIV3Schema?: JsonSchemaProps };
      subresources?: { status?: object; scale?: { specReplicasPath: string } };
    }[];
  };
}

/** All CRDs in the YAML files of a folder. */
export function readCrds(folder: string): Crd[] {
  return readdirSync(folder)
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Crd),
    )
    .filter((object) => object?.kind === 'CustomResourceDefinition');
}

/** Creates the CRD without its conversion webhook, if it is not there. Waiting is `established`'s. */
export async function install(api: ApiServer, crd: Crd): Promise<string | undefined> {
  const spec = { ...crd.spec };
  delete spec.conversion;
  const reply = await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { name: crd.metadata.name, annotations: { 'api-approved.kubernetes.io': 'unapproved, testing-only' } },
    spec,
  });
  return reply.code === 201 || reply.code === 409 ? undefined : String(reply.body.message);
}

/** Waits until the API server answers for the CRD's storage version. */
export async function served(api: ApiServer, path: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await api.call('GET', `${path}?limit=1`)).code === 200) return;
    await sleep(100);
  }
  throw new Error(`${path} is not served after 30 s: look at the CRD's conditions`);
}
