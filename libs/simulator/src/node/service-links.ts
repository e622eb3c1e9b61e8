import type { Service } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { Live, LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';

/** The variables that name the Services of a pod's namespace, and the API server. */
export function serviceLinks(pod: LivePod, store: Store): Readonly<Record<string, string>> {
  const server = store.find<Service>(kinds.service, 'default', 'kubernetes');
  const { namespace = '' } = pod.metadata;
  const services = pod.spec?.enableServiceLinks === false ? [] : store.list<Service>(kinds.service, namespace);
  const values: Record<string, string> = {};
  for (const service of new Set([...services, ...(server === undefined ? [] : [server])]))
    Object.assign(values, linksOf(service));
  return values;
}

function linksOf({ metadata, spec }: Live<Service>): Readonly<Record<string, string>> {
  const { clusterIP = '', ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === '' || clusterIP === 'None' || first === undefined) return {};
  const name = upper(metadata.name);
  const url = ({ protocol = 'TCP', port }: (typeof ports)[number]): string =>
    `${protocol.toLowerCase()}://${clusterIP}:${port}`;
  const values: Record<string, string> = {
    [`${name}_SERVICE_HOST`]: clusterIP,
    [`${name}_SERVICE_PORT`]: String(first.port),
    [`${name}_PORT`]: url(first),
  };
  for (const each of ports) {
    const { protocol = 'TCP', port, name: portName } = each;
    if (portName !== undefined) values[`${name}_SERVICE_PORT_${upper(portName)}`] = String(port);
    const prefix = `${name}_PORT_${port}_${protocol}`;
    Object.assign(values, {
      [prefix]: url(each),
      [`${prefix}_PROTO`]: protocol.toLowerCase(),
      [`${prefix}_PORT`]: String(port),
      [`${prefix}_ADDR`]: clusterIP,
    });
  }
  return values;
}

const upper = (name: string): string => name.toUpperCase().replaceAll('-', '_');
