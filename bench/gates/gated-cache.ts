import type { ClusteredCacheInput } from '@ordinal/api';

/** How a gate is asked, and whether its member says by a change of its pod that it has opened. */
export interface Way {
  readonly title: string;
  /** `spec.upgrade.askAgain.max`; 2 s where it is left out. */
  readonly askAgainMax?: string;
  /** The pod changes when the gate opens, as it does where readiness or a label follows the same cause. */
  readonly changesPod?: boolean;
}

/** Where a member answers whether its gate is open, and where it is opened. */
export const memberPort = 8080;

/** A member whose gate is closed until `/cgi-bin/open` is asked for. It needs no time to start or to end. */
const server = `mkdir -p /tmp/www/cgi-bin && cd /tmp/www &&
printf '#!/bin/sh\\ntouch /tmp/www/gate\\nprintf "Content-Type: text/plain\\\\r\\\\n\\\\r\\\\n"\\n' > cgi-bin/open &&
chmod +x cgi-bin/open && exec busybox httpd -f -p ${memberPort}`;

/** A cache of members whose gates are closed by themselves. Another round is another pod template, and so an upgrade. */
export function gatedCache(options: {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly way: Way;
  readonly round: number;
}): ClusteredCacheInput {
  const { namespace, name, image, way, round } = options;
  return {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { namespace, name },
    spec: {
      replicas: 3,
      image,
      port: memberPort,
      upgrade: {
        gates: [{ name: 'open', target: 'Self', http: { path: '/gate' } }],
        ...(way.askAgainMax === undefined ? {} : { askAgain: { max: way.askAgainMax } }),
      },
      podTemplate: {
        metadata: { annotations: { round: String(round) } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'cache', command: ['sh', '-c', server], readinessProbe: { periodSeconds: 1 } }],
        },
      },
    },
  };
}
