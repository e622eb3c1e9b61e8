import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import type { JsonObject } from '@ordinal/schema';

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority'?: string; 'certificate-authority-data'?: string } }[];
  users: { user: { token?: string } }[];
}

/** What the API server answered. */
export interface Reply {
  readonly code: number;
  readonly body: JsonObject;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** The API server of a kubeconfig with one cluster and a token, as `tools/cluster` writes it. */
export class ApiServer {
  private readonly server: string;
  private readonly token: string;
  private readonly agent: Agent;

  constructor(kubeconfig: string) {
    const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const cluster = config.clusters[0]!.cluster;
    const data = cluster['certificate-authority-data'];
    const ca = data === undefined ? readFileSync(cluster['certificate-authority']!) : Buffer.from(data, 'base64');
    this.server = cluster.server;
    this.token = config.users[0]!.user.token ?? '';
    this.agent = new Agent({ keepAlive: true, maxSockets: 8, scheduling: 'lifo', ca });
  }

  call(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': contentType, accept: 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.server}${path}`, { method, headers, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const warnings = (response.headersDistinct.warning ?? []).flatMap((line) =>
            [...line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, words = '']) => words.replace(/\\(.)/g, '$1')),
          );
          resolve({
            code: response.statusCode ?? 0,
            body: (text.startsWith('{') ? JSON.parse(text) : { message: text }) as JsonObject,
            warnings,
          });
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
