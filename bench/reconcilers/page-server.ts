// Serves the pages of metrics, and tells its parent the port.
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { pageNames, pageOf } from './pages.ts';

// Each byte of the page as a chunk of its own.
const inChunks = (page: Buffer): Buffer =>
  Buffer.concat([...page].map((byte) => Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a])));

function replyOf(name: string): Buffer {
  const page = Buffer.from(pageOf(name));
  return name.startsWith('chunks')
    ? Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
        inChunks(page),
        Buffer.from('0\r\n\r\n'),
      ])
    : Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${page.length}\r\n\r\n`), page]);
}

const replies = new Map(pageNames.map((name) => [name, replyOf(name)]));

// Each request fits in a packet, and names its page as the last part of its path.
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (head) => {
    const path = head.toString('latin1').split(' ', 2)[1] ?? '';
    socket.write(replies.get(decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))) ?? '');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port)); // It listens on TCP.
process.on('disconnect', () => process.exit());
