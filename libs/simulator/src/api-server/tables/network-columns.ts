import { items, part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { selectorText } from '../subresources/scale-form.ts';
import { ageColumn, none, status, text } from './column.ts';
import type { Column } from './column.ts';

/** So many are shown, and how many more there are. */
const maxShown = 3;

function shortened(all: readonly string[], more: (count: number) => string): string {
  const shown = all.slice(0, maxShown).join(',');
  return all.length > maxShown ? shown + more(all.length - maxShown) : shown;
}

function endpointAddresses(endpoints: JsonObject): string {
  const all = items(endpoints['subsets']).flatMap((subset) => {
    const ports = items(subset['ports']);
    const addresses = items(subset['addresses']).map(({ ip }) => String(ip));
    return ports.length === 0
      ? addresses
      : ports.flatMap(({ port }) => addresses.map((address) => `${address}:${String(port)}`));
  });
  return all.length === 0 ? '<none>' : shortened(all, (count) => ` + ${count} more...`);
}

function slicePorts(slice: JsonObject): string {
  const ports = items(slice['ports']).map(({ port }) => (port === undefined ? '*' : String(port as number)));
  return ports.length === 0 ? '<unset>' : shortened(ports, (count) => ` + ${count} more...`);
}

function sliceAddresses(slice: JsonObject): string {
  const all = items(slice['endpoints']).flatMap(({ addresses }) =>
    Array.isArray(addresses) ? addresses.map(String) : [],
  );
  return all.length === 0 ? '<unset>' : shortened(all, (count) => ` + ${count} more...`);
}

function hosts(ingress: JsonObject): string {
  const all = items(specOf(ingress)['rules']).flatMap(({ host }) =>
    typeof host === 'string' && host !== '' ? [host] : [],
  );
  return all.length === 0 ? '*' : shortened(all, (count) => ` + ${count} more...`);
}

const ingressAddress = (ingress: JsonObject): string =>
  items(part(status(ingress), 'loadBalancer')['ingress'])
    .map(({ ip, hostname }) => String(ip ?? hostname ?? ''))
    .join(',');

function parameters(ingressClass: JsonObject): string {
  const { apiGroup, kind, name } = part(specOf(ingressClass), 'parameters');
  if (kind === undefined) return '<none>';
  return `${String(kind)}${apiGroup === undefined ? '' : `.${String(apiGroup)}`}/${String(name)}`;
}

/** The columns of what leads to pods, between the name and the age. */
export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  endpoints: [text('Endpoints', endpointAddresses), ageColumn],
  'endpointslices.discovery.k8s.io': [
    text('AddressType', (slice) => slice['addressType']),
    text('Ports', slicePorts),
    text('Endpoints', sliceAddresses),
    ageColumn,
  ],
  'ingresses.networking.k8s.io': [
    text('Class', (ingress) => none(specOf(ingress)['ingressClassName'])),
    text('Hosts', hosts),
    text('Address', ingressAddress),
    text('Ports', (ingress) => (items(specOf(ingress)['tls']).length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'ingressclasses.networking.k8s.io': [
    text('Controller', (ingressClass) => specOf(ingressClass)['controller']),
    text('Parameters', parameters),
    ageColumn,
  ],
  'networkpolicies.networking.k8s.io': [
    text('Pod-Selector', (policy) => selectorText(specOf(policy)['podSelector']) || '<none>'),
    ageColumn,
  ],
};
