import type { TransportRequest } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { aggregated, coreVersions, groupList, groupOf, kubernetesVersion, resourceList } from './documents.ts';
import { notAcceptable, pathNotFound } from '../status.ts';
import { openApiDocument, openApiIndex } from './open-api.ts';
import { openApiV2 } from './open-api-v2.ts';

/** What a path that is about no object answers: a document, or plain text. */
export type Document = { readonly json: JsonObject; readonly contentType?: string } | { readonly text: string };

const health: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers discovery, OpenAPI, version and health; undefined for all other paths. */
export function discoveryAnswer(
  server: ApiServer,
  { headers }: TransportRequest,
  pathname: string,
): Document | undefined {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  if (health.has(path)) return { text: 'ok' };
  if (path === '/version') return { json: kubernetesVersion };
  if (path === '/openapi/v2') return { json: openApiV2In(server, headers?.['accept']) };
  if (path === '/openapi/v3') return { json: openApiIndex(server.resources) };
  const wantsAggregated =
    (headers?.['accept'] ?? '').includes('as=APIGroupDiscoveryList') && (headers?.['accept'] ?? '').includes('v=v2');
  if (path === '/api' || path === '/apis') {
    if (wantsAggregated) return { json: aggregated(server.resources, path === '/api'), contentType: aggregatedType };
    return { json: path === '/api' ? coreVersions : groupList(server.resources) };
  }
  const json = versionedDocument(server, path.split('/').slice(1));
  return json && { json };
}

/** The document for clients that read JSON. Those that read it as protobuf alone get 406, and find OpenAPI v3. */
function openApiV2In(server: ApiServer, accept = '*/*'): JsonObject {
  if (!/application\/(json|\*)|\*\/\*/.test(accept))
    throw notAcceptable('406: Not Acceptable\n\nAvailable representations: application/json');
  return openApiV2(server);
}

function versionedDocument(server: ApiServer, parts: readonly string[]): JsonObject | undefined {
  const [root, first = '', second = '', third, fourth] = parts;
  if (root === 'openapi' && first === 'v3') {
    if (second === 'api' && third !== undefined) return openApiDocument(server, '', third);
    return second === 'apis' && third !== undefined && fourth !== undefined
      ? openApiDocument(server, third, fourth)
      : undefined;
  }
  if (root === 'api' && parts.length === 2) return resourceList(server.resources, '', first);
  if (root !== 'apis') return undefined;
  if (parts.length === 2) return groupOf(server.resources, first);
  if (parts.length !== 3) return undefined;
  const list = resourceList(server.resources, first, second);
  // A group that is served answers for its versions itself.
  if (list === undefined && groupOf(server.resources, first) !== undefined) throw pathNotFound();
  return list;
}
