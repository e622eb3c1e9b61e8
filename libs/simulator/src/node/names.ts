import type { LivePod } from '../controllers/kinds.ts';
import { hostsOf } from './hosts.ts';

/** The kinds of records that the simulated DNS has. */
export type RecordType = 'A' | 'CNAME' | 'PTR' | 'SRV';

/** What is asked of a name server. */
export interface Question {
  /** A whole name, without a dot at its end. */
  readonly name: string;
  readonly type: RecordType;
}

/** A record; a value is written as `dig` shows it. */
export interface NameRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly value: string;
}

/** The records that answer a question, of an alias also those that it leads to; undefined where there is no such name. */
export type Answer = readonly NameRecord[] | undefined;

/** Answers what is asked of the name server at its address. */
export type NameServer = (question: Question) => Answer;

/** Asks for a name as programs do, with the domains that are searched. */
export type Lookup = (name: string, type: RecordType) => Promise<Answer>;

/** Where the DNS of the cluster answers. */
export const clusterDnsAddress = '10.96.0.10';

/** The domain of all names in the cluster. */
export const clusterDomain = 'cluster.local';

/** How one asks for names, as `/etc/resolv.conf` says it. */
export interface NameConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

const fewDots = 'ndots:5';

/** How a pod's containers ask for names: by its `dnsPolicy`, and what its `dnsConfig` adds. */
function nameConfigOf({ metadata, spec }: LivePod): NameConfig {
  const { dnsPolicy = 'ClusterFirst', dnsConfig, hostNetwork } = spec ?? {};
  // On the network of its node a pod asks what the node asks, unless it says otherwise.
  const asksCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  const searches = [`${metadata.namespace ?? ''}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  const given = (dnsConfig?.options ?? []).map(({ name = '', value }) =>
    value === undefined ? name : `${name}:${value}`,
  );
  const base = asksCluster
    ? { servers: [clusterDnsAddress], searches, options: [fewDots] }
    : { servers: dnsPolicy === 'None' ? [] : [nodeDnsAddress], searches: [], options: [] };
  const isGiven = (option: string): boolean => given.some((own) => own.split(':')[0] === option.split(':')[0]);
  return {
    servers: [...new Set([...base.servers, ...(dnsConfig?.nameservers ?? [])])],
    searches: [...new Set([...base.searches, ...(dnsConfig?.searches ?? [])])],
    options: [...base.options.filter((option) => !isGiven(option)), ...given],
  };
}

/** What nodes ask: it knows no name of the cluster. */
const nodeDnsAddress = '192.168.255.53';

/** `/etc/resolv.conf`, as the kubelet writes it. */
export const resolvConf = ({ servers, searches, options }: NameConfig): string =>
  [
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
    '',
  ].join('\n');

/** The whole names that a name may mean, in the order in which they are asked for. */
export function candidates(name: string, { searches, options }: NameConfig): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const option = options.findLast((each) => each.startsWith('ndots:'));
  const enough = Number(option?.slice('ndots:'.length) ?? 1);
  const found = searches.map((search) => `${name}.${search}`);
  return name.split('.').length > enough ? [name, ...found] : [...found, name];
}

/** Where a request comes from. */
export interface Origin {
  /** Its address. */
  readonly address: string;
  readonly names: NameConfig;
  /** `/etc/hosts`. */
  readonly hosts: () => string;
}

/** A pod as what its containers ask comes from it. */
export const originOf = (pod: LivePod, podIp: string): Origin => ({
  address: podIp,
  names: nameConfigOf(pod),
  hosts: () => hostsOf(pod, podIp),
});

/** The address that `/etc/hosts` has for a name. */
export function addressInHosts(name: string, hosts: string): string | undefined {
  for (const line of hosts.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (names.includes(name)) return address;
  }
  return undefined;
}
