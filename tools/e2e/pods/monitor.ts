// The monitoring service of examples/cloud-api in a pod, behind a front that fails and hangs on demand. Beside it, a port for the test.
import { createServer, request as call } from 'node:http';
import { startMonitorServer } from '../../../examples/cloud-api/monitor-server.ts';

const monitor = await startMonitorServer({ port: 8081 });
let mode = 'works';

createServer((request, response) => {
  if (mode === 'hangs') return;
  if (mode === 'fails') return void response.writeHead(503).end();
  const { method, url: path, headers } = request;
  const onwards = call({ host: '127.0.0.1', port: 8081, method, path, headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  request.pipe(onwards);
}).listen(8080);

createServer((request, response) => {
  const word = (request.url ?? '').slice(1);
  if (word === 'forgets') for (const id of monitor.entries.keys()) monitor.remove(id);
  else if (word !== 'entries') mode = word;
  response.end(JSON.stringify({ mode, entries: [...monitor.entries.values()] }));
}).listen(8082);
