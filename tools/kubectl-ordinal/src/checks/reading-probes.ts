import type { Client } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { Probes } from '@ordinal/lifecycle';

/** Members are asked by GET alone, through the API server. `unasked` makes the error of commands, hand-offs, requests that change something, and of what you may not. */
export function readingProbes(client: Client, unasked: (because: string) => Error): Probes {
  return {
    http: async ({ namespace, name }, { path, port, scheme, method, changes }, options) => {
      if (changes) throw unasked(`the hand-off of ${name}, which is not asked here`);
      if (method !== 'GET') throw unasked(`the answer of ${name} to ${method} ${path}, which is not sent here`);
      const protocol = scheme === 'HTTPS' ? 'https' : 'http';
      try {
        return await client.pods.proxy(
          { kind: 'pods', namespace, name, port, path, method, scheme: protocol },
          options,
        );
      } catch (error) {
        if (isApiError(error, 'Forbidden'))
          throw unasked(`the answer of ${name} to GET ${path}: you may not get pods/proxy`);
        throw error;
      }
    },
    exec: ({ name }, { command }) =>
      Promise.reject(unasked(`what "${command.join(' ')}" says in ${name}, which is not run here`)),
  };
}
