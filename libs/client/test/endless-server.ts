// A program for tests: a server whose commands and replies never end. It tells on its standard output, one JSON value a line, its port, and then of each
// connection how many bytes went out to the client: when none were taken for a while (`stalled`), and when it was closed (`closed`).
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';

const stallMs = 400;
const stdout = 1;
const stderr = 2;

const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** A message of the exec protocol as a WebSocket frame of a server. */
function frame(channel: number, size: number): Buffer {
  const payload = Buffer.alloc(size + 1, 'x');
  payload[0] = channel;
  const head =
    payload.length < 126
      ? Buffer.from([0x82, payload.length])
      : Buffer.from([0x82, 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, payload]);
}

const repeated = (piece: Buffer): Buffer =>
  Buffer.concat(new Array<Buffer>(Math.ceil(65_536 / piece.length)).fill(piece));

/** What is written again and again, by the word that the request's path ends with. */
const shapes: Readonly<Record<string, Buffer>> = {
  large: frame(stdout, 32_768),
  tiny: repeated(frame(stdout, 1)),
  empty: repeated(frame(stdout, 0)),
  stderr: frame(stderr, 4_096),
  // A frame of 1 TiB, which its head announces.
  huge: Buffer.concat([Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]), Buffer.alloc(65_536, 1)]),
  // A chunk of a chunked reply.
  body: Buffer.concat([Buffer.from('8000\r\n'), Buffer.alloc(32_768, 'x'), Buffer.from('\r\n')]),
  bytes: repeated(Buffer.from('1\r\nx\r\n')),
};

function pour(socket: Socket, shape: string): void {
  let accepted = 0;
  let stalled: NodeJS.Timeout | undefined;
  const piece = shapes[shape] ?? Buffer.from('?');
  const onTaken = (): void => {
    accepted += piece.length;
    clearTimeout(stalled);
    stalled = setTimeout(() => report({ stalled: accepted, shape }), stallMs);
  };
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece, (error) => (error ? undefined : onTaken())));
  };
  socket.on('drain', write);
  socket.on('close', () => {
    clearTimeout(stalled);
    report({ closed: accepted, shape });
  });
  write();
}

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  let head = '';
  const onHead = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    socket.off('data', onHead).resume();
    const word = /[=/](\w+) HTTP/.exec(head.split('\r\n', 1)[0] ?? '')?.[1] ?? '';
    const shape = word in shapes ? word : 'body';
    const key = /^sec-websocket-key: (.*)$/im.exec(head)?.[1];
    const protocol = /^sec-websocket-protocol: ([^,\r\n]*)/im.exec(head)?.[1];
    if (key === undefined) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n');
    } else {
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
      );
    }
    pour(socket, shape);
  };
  socket.on('data', onHead);
});
server.listen(0, '127.0.0.1', () => report({ port: (server.address() as { port: number }).port })); // It listens on TCP.
process.stdin.on('end', () => process.exit()).resume();
