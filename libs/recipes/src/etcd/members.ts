import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import { toolsFolder } from '../tools.ts';
import type { EtcdStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. That among members is the next one. */
export const port = 2379;

const tlsFolder = '/tls';

const podsOf = ({ name, tls, shellImage }: EtcdStoreOptions): StorePods => ({
  name,
  scripts,
  userId: 65_532,
  shellImage,
  environment: [
    { name: 'PATH', value: `${toolsFolder}:/usr/local/bin:/usr/bin:/bin` },
    { name: 'PORT', value: String(port) },
    { name: 'PEER_PORT', value: String(port + 1) },
    ...(tls ? [{ name: 'TLS', value: tlsFolder }] : []),
    ...(tls?.clientCertificates ? [{ name: 'CLIENT_CERTIFICATES', value: 'yes' }] : []),
  ],
  secrets: tls ? [{ name: 'tls', secretName: tls.secretName, mountPath: tlsFolder }] : [],
});

/** What is merged over the members' pod. */
export function memberPod(options: EtcdStoreOptions): object {
  const { settings = {}, resources } = options;
  const parameters = Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`);
  return memberPodOf(podsOf(options), { parameters, resources });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: EtcdStoreOptions): object => taskPodOf(podsOf(options), options.backup?.claimName);
