import type { LivePod } from '../controllers/kinds.ts';

/** The name that a pod's containers have for their host: on the network of its node, that one's. */
export const hostNameOf = ({ metadata, spec }: LivePod): string =>
  spec?.hostNetwork === true ? (spec.nodeName ?? metadata.name) : (spec?.hostname ?? metadata.name);

const local = ['127.0.0.1\tlocalhost', '::1\tlocalhost ip6-localhost ip6-loopback', 'fe00::0\tip6-localnet'];
const multicast = ['fe00::0\tip6-mcastprefix', 'fe00::1\tip6-allnodes', 'fe00::2\tip6-allrouters'];

/** `/etc/hosts` of a pod's containers, as the kubelet writes it. */
export function hostsOf(pod: LivePod, podIp: string): string {
  const { hostAliases = [], hostNetwork, subdomain } = pod.spec ?? {};
  const name = hostNameOf(pod);
  const full =
    subdomain === undefined ? '' : `${name}.${subdomain}.${pod.metadata.namespace ?? ''}.svc.cluster.local\t`;
  const aliases = hostAliases.map(({ ip = '', hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`);
  const lines = [
    hostNetwork === true ? '# Kubernetes-managed hosts file (host network).' : '# Kubernetes-managed hosts file.',
    ...(hostNetwork === true ? local.slice(0, 1) : [...local, ...multicast, `${podIp}\t${full}${name}`]),
    ...(aliases.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...aliases]),
  ];
  return `${lines.join('\n')}\n`;
}
