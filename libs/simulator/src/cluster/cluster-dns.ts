import type { Service } from 'kubernetes-types/core/v1.js';
import type { Endpoint } from 'kubernetes-types/discovery/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LiveService } from '../controllers/network/pods.ts';
import { clusterDomain } from '../node/names.ts';
import type { Answer, NameRecord, NameServer, Question } from '../node/names.ts';
import { endpointsOf, isReady } from './service-endpoints.ts';
import type { EndpointSource } from './service-endpoints.ts';

const serviceZone = `.svc.${clusterDomain}`;
const podZone = `.pod.${clusterDomain}`;
const reverseZone = '.in-addr.arpa';

/** The DNS of the cluster: the names of Services, of what is behind headless ones, and of pods by their addresses. */
export function clusterDns(source: EndpointSource): NameServer {
  return (question) => {
    const name = question.name.toLowerCase();
    const records = recordsAt(name, source);
    if (records === undefined) return undefined;
    const own = records.filter(({ type }) => type === question.type);
    const alias = question.type === 'CNAME' ? undefined : records.find(({ type }) => type === 'CNAME');
    return alias === undefined ? own : [alias, ...behind(alias, question, source)];
  };
}

/** What an alias leads to, as far as the cluster knows it. */
function behind({ value, name }: NameRecord, { type }: Question, source: EndpointSource): readonly NameRecord[] {
  const target = value.replace(/\.$/, '');
  return target === name ? [] : (recordsAt(target, source) ?? []).filter((record) => record.type === type);
}

function recordsAt(name: string, source: EndpointSource): Answer {
  if (name.endsWith(serviceZone)) return inServices(name, source);
  if (name.endsWith(podZone)) return ofPod(name);
  return name.endsWith(reverseZone) ? reverse(name, source) : undefined;
}

/** `SERVICE.NAMESPACE`, `ENDPOINT.SERVICE.NAMESPACE` and `_PORT._PROTOCOL.SERVICE.NAMESPACE`. */
function inServices(name: string, source: EndpointSource): Answer {
  const labels = name.slice(0, -serviceZone.length).split('.');
  const [serviceName = '', namespace = ''] = labels.slice(-2);
  const service = source.store.find<Service>(kinds.service, namespace, serviceName);
  if (service === undefined || labels.length < 2 || labels.length > 4) return undefined;
  const { type, externalName = '', clusterIP = '' } = service.spec ?? {};
  if (type === 'ExternalName')
    return labels.length === 2 ? [{ name, type: 'CNAME', value: `${externalName}.` }] : undefined;
  if (labels.length === 3) return addressesAt(name, service, source).get(labels[0] ?? '');
  if (labels.length === 4) return atPort(name, service, source);
  if (clusterIP !== 'None') return [{ name, type: 'A', value: clusterIP }];
  const all = [...addressesAt(name, service, source).values()].flat();
  return all.length === 0 ? undefined : all;
}

/** The records of what is behind a headless Service, by the names that they have within it. */
function addressesAt(name: string, service: LiveService, source: EndpointSource): Map<string, NameRecord[]> {
  const found = new Map<string, NameRecord[]>();
  if (service.spec?.clusterIP !== 'None') return found;
  for (const endpoint of endpointsOf(service, source)
    .flatMap(({ endpoints }) => endpoints)
    .filter(isReady)) {
    const records = endpoint.addresses.map((value): NameRecord => ({ name, type: 'A', value }));
    const label = labelOf(endpoint);
    found.set(label, [...(found.get(label) ?? []), ...records]);
  }
  return found;
}

const labelOf = ({ hostname, addresses: [address = ''] }: Endpoint): string => hostname ?? address.replaceAll('.', '-');

/** Where a named port of a Service is: at the Service, or at what is behind a headless one. */
function atPort(name: string, service: LiveService, source: EndpointSource): Answer {
  const [portLabel, protocolLabel] = name.split('.');
  const whole = fullName(service);
  const targets =
    service.spec?.clusterIP !== 'None'
      ? [{ target: whole, ports: service.spec?.ports ?? [] }]
      : endpointsOf(service, source).flatMap(({ ports, endpoints }) =>
          endpoints.filter(isReady).map((endpoint) => ({ target: `${labelOf(endpoint)}.${whole}`, ports })),
        );
  const records = targets.flatMap(({ target, ports }) =>
    ports
      .filter(
        ({ name: own, protocol = 'TCP' }) =>
          `_${own ?? ''}` === portLabel && `_${protocol.toLowerCase()}` === protocolLabel,
      )
      .map(({ port = 0 }): NameRecord => ({ name, type: 'SRV', value: `0 100 ${port} ${target}.` })),
  );
  return records.length === 0 ? undefined : records;
}

const fullName = ({ metadata: { name, namespace = '' } }: LiveService): string => `${name}.${namespace}${serviceZone}`;

/** `10-1-2-3.NAMESPACE`: an address, whether or not a pod has it. */
function ofPod(name: string): Answer {
  const [label = ''] = name.slice(0, -podZone.length).split('.');
  const value = label.replaceAll('-', '.');
  return /^\d+(\.\d+){3}$/.test(value) ? [{ name, type: 'A', value }] : undefined;
}

/** The names of an address. */
function reverse(name: string, source: EndpointSource): Answer {
  const address = name.slice(0, -reverseZone.length).split('.').reverse().join('.');
  const names = source.store.list<Service>(kinds.service).flatMap((service) => {
    if (service.spec?.clusterIP === address) return [fullName(service)];
    if (service.spec?.clusterIP !== 'None') return [];
    return endpointsOf(service, source)
      .flatMap(({ endpoints }) => endpoints)
      .filter((endpoint) => isReady(endpoint) && endpoint.addresses.includes(address))
      .map((endpoint) => `${labelOf(endpoint)}.${fullName(service)}`);
  });
  return names.length === 0 ? undefined : names.map((value): NameRecord => ({ name, type: 'PTR', value: `${value}.` }));
}
