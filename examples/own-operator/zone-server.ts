// A DNS zone in memory. PUT, GET and DELETE of /records/HOST; as at many providers, a record that was deleted is still shown for two seconds.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const records = new Map<string, string>();

createServer(async (request, response) => {
  const host = (request.url ?? '').replace('/records/', '');
  if (request.method === 'PUT') records.set(host, await text(request));
  if (request.method === 'DELETE') setTimeout(() => records.delete(host), 2000);
  const target = records.get(host);
  response.writeHead(target === undefined ? 404 : 200).end(target);
}).listen(Number(process.argv[2] ?? 8053), '127.0.0.1');
