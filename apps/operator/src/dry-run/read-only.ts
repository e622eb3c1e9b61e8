import type { Transport } from '@ordinal/client';
import { TransportError } from '@ordinal/client';
import type { Probes } from '@ordinal/lifecycle';

/** What is not sent, because it may change something. */
class WriteRefused extends TransportError {
  constructor(what: string) {
    super('Aborted', `a dry run does not send ${what}`, { unsent: true });
  }
}

/** Whether an error, or what has caused it, is that a write was not sent. */
export function isWriteRefused(error: unknown): boolean {
  if (error instanceof WriteRefused) return true;
  return error instanceof Error && error.cause !== undefined && isWriteRefused(error.cause);
}

/** The same transport for GET requests. Everything else is rejected with `WriteRefused` and not sent, commands in containers among it. */
export function readOnlyTransport(inner: Transport): Transport {
  return {
    send: async (request) => {
      if (request.method !== 'GET') throw new WriteRefused(`${request.method} ${request.path}`);
      return inner.send(request);
    },
    connect: (request) => Promise.reject(new WriteRefused(`a command: ${request.path.split('?')[0] ?? ''}`)),
    close: () => inner.close(),
  };
}

/** The same probes for GET requests that change nothing. A member that would be asked otherwise gives no answer. */
export function readOnlyProbes({ http }: Probes): Probes {
  return {
    http: (pod, check, options) =>
      check.method === 'GET' && check.changes !== true
        ? http(pod, check, options)
        : Promise.reject(new WriteRefused(`${check.method} ${check.path} to ${pod.name}`)),
    exec: ({ name }) => Promise.reject(new WriteRefused(`a command to ${name}`)),
  };
}
