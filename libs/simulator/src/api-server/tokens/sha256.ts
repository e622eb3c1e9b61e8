/** SHA-256 of bytes (FIPS 180-4), and a keyed hash of it (RFC 2104): the simulation also runs where Node's own are not, and answers at once. */

/** The first 32 bits of the fractional part of a prime's root. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 0x1_0000_0000);

const primes: readonly number[] = Array.from({ length: 312 }, (_, index) => index).filter(
  (number) =>
    number > 1 && !Array.from({ length: number }, (_, index) => index).some((by) => by > 1 && number % by === 0),
);
const constants = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const blockBytes = 64;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** A message with its end mark and its length, as a whole number of blocks. */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / blockBytes) * blockBytes);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 4, message.length * 8);
  return view;
}

/** The digest of a message. */
export function sha256(message: Uint8Array): Uint8Array {
  const view = padded(message);
  const state = Int32Array.from(initial);
  const words = new Int32Array(64);
  const at = (index: number): number => words[index] ?? 0;
  for (let block = 0; block < view.byteLength; block += blockBytes) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(block + index * 4);
    for (let index = 16; index < 64; index += 1) {
      const [early, late] = [at(index - 15), at(index - 2)];
      const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words[index] = (at(index - 16) + small + at(index - 7) + large) | 0;
    }
    const mixed = mix(state, words);
    for (let index = 0; index < 8; index += 1) state[index] = ((state[index] ?? 0) + (mixed[index] ?? 0)) | 0;
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function mix(state: Int32Array, words: Int32Array): readonly number[] {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (constants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h];
}

/** The hash of a message that only who has the key can make. */
export function keyedHash(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? sha256(key) : key);
  const joined = (mask: number, rest: Uint8Array): Uint8Array =>
    Uint8Array.from([...block.map((byte) => byte ^ mask), ...rest]);
  return sha256(joined(0x5c, sha256(joined(0x36, message))));
}
