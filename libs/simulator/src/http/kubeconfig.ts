import { stringify } from 'yaml';

/** What a kubeconfig says about a server. */
export interface KubeconfigParts {
  readonly server: string;
  /** PEM of the certificate authority, for `https`. */
  readonly certificateAuthority?: string;
  readonly token?: string;
}

/** A kubeconfig with one cluster, one user and one context, all named `simulated`. */
export function kubeconfigOf({ server, certificateAuthority, token }: KubeconfigParts): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'simulated',
        cluster: {
          server,
          ...(certificateAuthority !== undefined && {
            'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
          }),
        },
      },
    ],
    users: [{ name: 'simulated', user: token === undefined ? {} : { token } }],
    contexts: [{ name: 'simulated', context: { cluster: 'simulated', user: 'simulated' } }],
    'current-context': 'simulated',
  });
}
