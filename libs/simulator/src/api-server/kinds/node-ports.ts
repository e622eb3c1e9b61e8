import { invalid } from '../status.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, refused, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft, WriteContext } from './model.ts';
import { items, specOf, without } from './spec.ts';

const range = { first: 30_000, last: 32_767 } as const;

const needsNodePorts = ({ type }: Draft): boolean => type === 'NodePort' || type === 'LoadBalancer';

const portsOf = (spec: Draft): readonly Draft[] => items(spec['ports']);
const numberOf = ({ nodePort }: Draft): number => Number(nodePort ?? 0);
const numbersOf = (spec: Draft): ReadonlySet<number> =>
  new Set(
    portsOf(spec)
      .map(numberOf)
      .filter((number) => number !== 0),
  );

/** Gives a Service's ports their numbers on nodes: those that it has or asks for, or the next that are free. Takes them away where its type has none. */
export function withNodePorts(object: Draft, before: Draft | undefined, context: WriteContext): Draft {
  const spec = specOf(object);
  if (portsOf(spec).length === 0) return object;
  if (!needsNodePorts(spec)) return before === undefined ? object : withoutNodePorts(object, specOf(before));
  const had = before === undefined ? new Set<number>() : numbersOf(specOf(before));
  const given = before === undefined ? portsOf(spec) : withFormer(spec, specOf(before));
  const byPort = new Map<unknown, number>();
  const taken = new Set<number>();
  const ports = given.map((port, index) => {
    const shared = before === undefined ? byPort.get(port['port']) : undefined; // TCP and UDP of one number.
    const asked = numberOf(port);
    const number = asked === 0 ? (shared ?? (allocates(spec) ? nextFree(object, taken, context) : 0)) : asked;
    if (asked !== 0 && asked !== shared && !had.has(asked) && !taken.has(asked))
      check(object, { asked, index }, context);
    if (number === 0) return port;
    taken.add(number);
    byPort.set(port['port'], number);
    return { ...port, nodePort: number };
  });
  return { ...object, spec: { ...spec, ports } };
}

const allocates = (spec: Draft): boolean =>
  spec['type'] === 'NodePort' || spec['allocateLoadBalancerNodePorts'] !== false;

function check(
  object: Draft,
  { asked, index }: { readonly asked: number; readonly index: number },
  { resource, lookup }: WriteContext,
): void {
  const inRange = asked >= range.first && asked <= range.last;
  if (inRange && lookup('services by node port', String(asked)) === undefined) return;
  const why = inRange
    ? 'provided port is already allocated'
    : `provided port is not in the valid range. The range of valid ports is ${range.first}-${range.last}`;
  throw invalid(resource, String(metadataOf(object)['name']), [wrong(`spec.ports[${index}].nodePort`, asked, why)]);
}

/** A number that follows from the uid, so that the same history gives the same ones. */
function nextFree(object: Draft, taken: ReadonlySet<number>, { lookup, dryRun }: WriteContext): number {
  const size = range.last - range.first + 1;
  let candidate = dryRun ? 0 : parseInt(String(metadataOf(object)['uid']).slice(0, 4), 16) % size;
  for (let left = size; left > 0; left -= 1) {
    candidate = (candidate + 1) % size;
    const number = range.first + candidate;
    if (!taken.has(number) && lookup('services by node port', String(number)) === undefined) return number;
  }
  return range.first;
}

/** Ports without a number have that of the former port of their name, where no other has it. */
function withFormer(spec: Draft, before: Draft): readonly Draft[] {
  const ports = portsOf(spec);
  if (!needsNodePorts(before)) return ports;
  const used = new Set([...numbersOf(before)].filter((number) => numbersOf(spec).has(number)));
  const byName = new Map(portsOf(before).map((port) => [port['name'] ?? '', numberOf(port)]));
  return ports.map((port) => {
    const former = byName.get(port['name'] ?? '') ?? 0;
    return numberOf(port) !== 0 || former === 0 || used.has(former) ? port : { ...port, nodePort: former };
  });
}

/** What is new stays, to be refused. */
function withoutNodePorts(object: Draft, before: Draft): Draft {
  const spec = specOf(object);
  const had = numbersOf(before);
  if (!needsNodePorts(before) || ![...numbersOf(spec)].every((number) => had.has(number))) return object;
  return { ...object, spec: { ...spec, ports: portsOf(spec).map((port) => without(port, 'nodePort')) } };
}

/** What is wrong with the numbers on nodes. */
export function nodePortCauses(spec: Draft): readonly FieldCause[] {
  const ports = portsOf(spec);
  const { type } = spec;
  const key = (port: Draft): string => `${String(port['protocol'] ?? 'TCP')}/${numberOf(port)}`;
  return ports.flatMap((port, index) => {
    const number = numberOf(port);
    const field = `spec.ports[${index}].nodePort`;
    if (number === 0) return [];
    if (type === 'ClusterIP') return [refused(field, "may not be used when `type` is 'ClusterIP'")];
    const first = ports.findIndex((other) => key(other) === key(port));
    return first < index ? [duplicate(field, number)] : [];
  });
}
