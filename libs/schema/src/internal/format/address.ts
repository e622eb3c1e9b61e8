/** The octets of an IPv4 address; leading zeros are an error unless `sloppy`. */
export function parseIpv4(text: string, sloppy = false): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const octets: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part) || Number(part) > 255 || (!sloppy && part.length > 1 && part.startsWith('0')))
      return undefined;
    octets.push(Number(part));
  }
  return octets;
}

/** The sixteen octets of an IPv6 address, without zone. */
export function parseIpv6(text: string, sloppy = false): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? '', sloppy, halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] ?? '', sloppy, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

function groups(text: string, sloppy: boolean, last: boolean): number[] | undefined {
  if (text === '') return [];
  const octets: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (last && i === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part, sloppy);
      if (embedded === undefined) return undefined;
      octets.push(...embedded);
    } else {
      // Go reads hexadecimal digits until the value is too large, so leading zeros are fine only where it is sloppy.
      if (!/^[0-9a-fA-F]+$/.test(part) || (!sloppy && part.length > 4) || parseInt(part, 16) > 0xffff) return undefined;
      octets.push(parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff);
    }
  }
  return octets;
}

function parse(text: string, sloppy: boolean): number[] | undefined {
  const first = /[.:]/.exec(text)?.[0];
  if (first === undefined) return undefined;
  return first === '.' ? parseIpv4(text, sloppy) : parseIpv6(text, sloppy);
}

/** An address that Go's `net.ParseIP` reads and that has a dot in it; leading zeros are tolerated. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && parse(text, true) !== undefined;
}

/** An address that Go's `net.ParseIP` reads and that has a colon in it. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && parse(text, false) !== undefined;
}

/** An address and a prefix length; leading zeros are tolerated. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const bits = parseIpv4(address, true) ? 32 : parseIpv6(address, true) ? 128 : -1;
  return /^[0-9]+$/.test(prefix) && Number(prefix) <= bits;
}
