import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ApiServer } from '../src/api-server.ts';

/** An HTTP server in this process whose replies a test writes byte by byte. */
export interface TestServer {
  readonly server: Server;
  readonly api: ApiServer;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** Starts an HTTP server on the loopback address that answers as the test says. */
export async function httpServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  credentials: Partial<Pick<ApiServer, 'credentials' | 'refresh'>> = {},
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    requests,
    api: {
      url: `http://127.0.0.1:${port}`,
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      refresh: () => undefined,
      ...credentials,
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
