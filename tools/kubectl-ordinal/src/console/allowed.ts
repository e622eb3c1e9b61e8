import type { ResourceDescriptor, Transport, TransportReply, TransportRequest } from '@ordinal/client';
import {
  TransportError,
  controllerRevisions,
  endpointSlices,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  persistentVolumes,
  podDisruptionBudgets,
  services,
  storageClasses,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import { connectionSecretName } from '@ordinal/reconcilers';
import { readKinds } from '../cluster/contents.ts';
import type { OrdinalResource } from '../kinds.ts';
import { ordinalKinds } from '../kinds.ts';

/** What a plan and what-if read beside what a status shows. */
const readBeside: readonly ResourceDescriptor[] = [
  ...[controllerRevisions, services, podDisruptionBudgets, namespaces, nodes, persistentVolumes, storageClasses],
  ...[endpointSlices, mutatingWebhookConfigurations, validatingWebhookConfigurations],
];
/** Read by what-if, whose own description of it is not exported by the client. */
const quotas = { group: '', version: 'v1', plural: 'resourcequotas' };

const nameOfObject = '[a-z0-9][a-z0-9.-]*';

function pathsOf({ group, version, plural }: Pick<ResourceDescriptor, 'group' | 'version' | 'plural'>): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}(?:/namespaces/${nameOfObject})?/${plural}(?:/${nameOfObject})?`.replaceAll('.', '\\.');
}

const whole = (paths: readonly string[]): RegExp => new RegExp(`^(?:${paths.join('|')})$`);

const readable = whole([...readKinds, ...readBeside, quotas].map(pathsOf));
/** A plan asks members what their gates say, by GET. */
const asked = /^\/api\/v1\/namespaces\/[a-z0-9][a-z0-9.-]*\/pods\/[a-zA-Z0-9:.-]+\/proxy\/[^?#]*$/;
const writable = whole(
  ordinalKinds.map(({ group, version, plural }) =>
    `/apis/${group}/${version}/namespaces/${nameOfObject}/${plural}/${nameOfObject}`.replaceAll('.', '\\.'),
  ),
);

/** Also behind a slash that is written `%2F`: a proxy before the API server may take it for one. */
const hasDotSegment = (path: string): boolean =>
  path.split(/\/|%2f|\\|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));

/** Whether the console may send this to the API server: reads of what it shows, and with `canWrite` a patch of a resource of the four kinds. No Secrets. Pure. */
export function isAllowed(method: string, pathAndQuery: string, canWrite: boolean): boolean {
  const [path = ''] = pathAndQuery.split('?');
  if (hasDotSegment(path)) return false;
  if (method === 'GET') return readable.test(path) || asked.test(path);
  return method === 'PATCH' && canWrite && writable.test(path);
}

const refusal = (method: string, path: string) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 },
  message: `the console itself does not send ${method} ${path.split('?')[0] ?? ''}`,
});

/** The Secrets that a resource names: the tokens of its monitors, its connection and its provider. */
function secretsOf(resource: OrdinalResource): readonly (string | undefined)[] {
  if (resource.kind === 'CloudDatabase') return [connectionSecretName(resource), resource.spec.providerRef?.name];
  if (resource.kind !== 'MonitoredStatefulSet') return [];
  const { registrations = [] } = resource.status ?? {};
  return [resource.spec, ...registrations].map(({ credentialsSecretRef }) => credentialsSecretRef?.name);
}

/** Asks for names and no values: a server that can't answer so refuses. */
const namesAlone = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Whether the console may send this for the plan of a resource: what it may read at all, the names of the Secrets of its namespace, and those Secrets that it names. Pure. */
export function isAllowedForPlan(
  { method, path, headers = {} }: Pick<TransportRequest, 'method' | 'path' | 'headers'>,
  resource: OrdinalResource,
): boolean {
  if (isAllowed(method, path, false)) return true;
  const [, name] = /^\/api\/v1\/namespaces\/([a-z0-9-]+)\/secrets(?=$|[/?])/.exec(path) ?? [];
  if (method !== 'GET' || name === undefined || name !== resource.metadata.namespace) return false;
  const [, secret] = /\/secrets\/([a-z0-9][a-z0-9.-]*)$/.exec(path) ?? [];
  if (secret !== undefined) return secretsOf(resource).includes(secret);
  return /\/secrets(\?[^#]*)?$/.test(path) && headers['accept'] === namesAlone;
}

/** The user's transport, less all that the console has no business with: whatever its other parts ask for, nothing else is sent. It is answered as the API server would that forbids it. */
export const allowedOnly = (transport: Transport, canWrite: boolean): Transport =>
  only(transport, ({ method, path }) => isAllowed(method, path, canWrite));

/** The same for the plan of one resource: it reads, and the Secrets that the operator would decide by too. */
export const allowedForPlan = (transport: Transport, resource: OrdinalResource): Transport =>
  only(transport, (request) => isAllowedForPlan(request, resource));

function only(transport: Transport, isSent: (request: TransportRequest) => boolean): Transport {
  const refused = ({ method, path }: TransportRequest): TransportReply => {
    const body = Buffer.from(JSON.stringify(refusal(method, path)));
    const chunks = async function* () {
      yield await Promise.resolve(body);
    };
    return { status: 403, headers: { 'content-type': 'application/json' }, body: chunks() };
  };
  return {
    send: (request) => (isSent(request) ? transport.send(request) : Promise.resolve(refused(request))),
    connect: ({ path }) =>
      Promise.reject(new TransportError('Aborted', `the console opens no stream to ${path}`, { unsent: true })),
    close: () => transport.close(),
  };
}
