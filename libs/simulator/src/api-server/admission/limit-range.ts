import { metadataOf } from '../kinds/metadata-rules.ts';
import { items, part, specOf } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import { amountsOf } from '../quota/amounts.ts';
import type { Amounts } from '../quota/amounts.ts';
import { specifiedLimits, specifiedRequests } from '../quota/pod-resources.ts';
import type { JsonObject } from '../request.ts';
import { formatQuantity } from '../schema/quantity.ts';
import type { Quantity } from '../schema/quantity.ts';
import type { ApiServer } from '../server.ts';
import { forbidden } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

const storage = 'limitranges';

/** The limits of a namespace, one list for each of its limit ranges. */
function limitsIn({ store }: ApiServer, namespace: string | undefined): readonly (readonly JsonObject[])[] {
  if (store.count(storage) === 0) return [];
  return store
    .snapshot(storage)
    .filter(([, { metadata }]) => metadata.namespace === namespace)
    .map(([, range]) => items(specOf(range as unknown as JsonObject)['limits']));
}

/** A new pod with what the limit ranges of its namespace give containers that do not say it themselves, as the server's plugin `LimitRanger` does. */
export function withDefaultLimits(server: ApiServer, { namespace }: AdmissionAttributes, pod: JsonObject): JsonObject {
  return limitsIn(server, namespace).reduce(withDefaults, pod);
}

function withDefaults(pod: JsonObject, limits: readonly JsonObject[]): JsonObject {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const defaults = {
    limits: Object.assign({}, ...ofContainers.map((limit) => part(limit, 'default'))) as JsonObject,
    requests: Object.assign({}, ...ofContainers.map((limit) => part(limit, 'defaultRequest'))) as JsonObject,
  };
  const set: string[] = [];
  const complete = (list: unknown, title: string): readonly JsonObject[] =>
    items(list).map((container) => {
      const resources = part(container, 'resources');
      const missing = (side: 'requests' | 'limits', word: string): JsonObject => {
        const own = part(resources, side);
        const names = Object.keys(defaults[side]).filter((name) => !Object.hasOwn(own, name));
        if (names.length > 0) set.push(`${names.sort().join(', ')} ${word} for ${title} ${String(container['name'])}`);
        return { ...own, ...Object.fromEntries(names.map((name) => [name, defaults[side][name]])) };
      };
      const requests = missing('requests', 'request');
      return { ...container, resources: { ...resources, limits: missing('limits', 'limit'), requests } };
    });
  const spec = specOf(pod);
  const containers = complete(spec['containers'], 'container');
  const first = complete(spec['initContainers'], 'init container');
  if (set.length === 0) return pod;
  const metadata = metadataOf(pod);
  const annotations = {
    ...(isObject(metadata['annotations']) ? metadata['annotations'] : {}),
    'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${set.join('; ')}`,
  };
  return {
    ...pod,
    metadata: { ...metadata, annotations },
    spec: { ...spec, containers, ...(first.length > 0 && { initContainers: first }) },
  };
}

/** Refuses a pod or a claim that asks for less or more than the limit ranges of its namespace allow. */
export function checkLimits(server: ApiServer, attributes: AdmissionAttributes): void {
  const { resource, subresource, operation, namespace, name, object, oldObject } = attributes;
  const isPod =
    resource.storage === 'pods' && (operation === 'CREATE' ? subresource === undefined : subresource === 'resize');
  const isClaim = resource.storage === 'persistentvolumeclaims' && subresource === undefined;
  if (!(isPod || isClaim) || object === undefined || oldObject?.metadata.deletionTimestamp !== undefined) return;
  for (const limits of limitsIn(server, namespace)) {
    const problems = [
      ...new Set(limits.flatMap((limit) => (isPod ? podProblems(object, limit) : claimProblems(object, limit)))),
    ];
    const [first] = problems;
    if (first === undefined) continue;
    throw forbidden(resource, name, problems.length === 1 ? first : `[${problems.join(', ')}]`);
  }
}

/** What something asks for and is limited to. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function podProblems(pod: JsonObject, limit: JsonObject): readonly string[] {
  const spec = specOf(pod);
  if (limit['type'] === 'Pod')
    return problemsOf({ requests: specifiedRequests(spec), limits: specifiedLimits(spec) }, limit);
  if (limit['type'] !== 'Container') return [];
  return [...items(spec['containers']), ...items(spec['initContainers'])].flatMap((container) => {
    const { requests, limits } = part(container, 'resources');
    return problemsOf({ requests: amountsOf(requests), limits: amountsOf(limits) }, limit);
  });
}

/** Of a claim only what it asks for counts. */
function claimProblems(claim: JsonObject, limit: JsonObject): readonly string[] {
  if (limit['type'] !== 'PersistentVolumeClaim') return [];
  const requests = amountsOf(part(specOf(claim), 'resources')['requests']);
  return problemsOf({ requests, limits: new Map() }, limit);
}

const sorted = (amounts: Amounts): readonly (readonly [string, Quantity])[] =>
  [...amounts].sort(([one], [other]) => (one < other ? -1 : 1));

function problemsOf(asked: Asked, limit: JsonObject): readonly string[] {
  const type = String(limit['type']);
  const each = (list: string, problem: (name: string, bound: Quantity) => string | undefined): readonly string[] =>
    sorted(amountsOf(limit[list])).flatMap(([name, bound]) => problem(name, bound) ?? []);
  return [
    ...each('min', (name, bound) => tooLittle(asked, [type, name], bound)),
    ...each('max', (name, bound) => tooMuch(asked, [type, name], bound)),
    ...each('maxLimitRequestRatio', (name, bound) => tooFar(asked, [type, name], bound)),
  ];
}

type Subject = readonly [type: string, name: string];

function tooLittle({ requests, limits }: Asked, [type, name]: Subject, bound: Quantity): string | undefined {
  const title = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined) return `${title}.  No request is specified`;
  if (request.nano < bound.nano) return `${title}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && limit.nano < bound.nano ? `${title}, but limit is ${formatQuantity(limit)}` : undefined;
}

function tooMuch({ requests, limits }: Asked, [type, name]: Subject, bound: Quantity): string | undefined {
  const title = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  const isClaim = type === 'PersistentVolumeClaim';
  if (isClaim && request === undefined) return `${title}.  No request is specified`;
  if (!isClaim && limit === undefined) return `${title}.  No limit is specified`;
  if (limit !== undefined && limit.nano > bound.nano) return `${title}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && request.nano > bound.nano
    ? `${title}, but request is ${formatQuantity(request)}`
    : undefined;
}

function tooFar({ requests, limits }: Asked, [type, name]: Subject, bound: Quantity): string | undefined {
  const title = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  const request = requests.get(name)?.nano ?? 0n;
  const limit = limits.get(name)?.nano ?? 0n;
  if (request === 0n) return `${title}, but no request is specified or request is 0`;
  if (limit === 0n) return `${title}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  return ratio > Number(bound.nano) / 1e9 ? `${title}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
