import { describe, expect, it } from 'vitest';
import { ReplyBody } from './reply-body.ts';

function bodyOf(): { readonly body: ReplyBody; readonly told: string[] } {
  const told: string[] = [];
  const tell = (what: string) => () => void told.push(what);
  return { body: new ReplyBody({ pause: tell('pause'), resume: tell('resume'), cancel: tell('cancel') }), told };
}

describe('the body of a reply', () => {
  const large = new Uint8Array(300 * 1024);

  it('holds its connection back until it is read', async () => {
    const { body, told } = bodyOf();
    body.push(large);
    expect(told).toEqual(['pause']);
    await body.next();
    expect(told).toEqual(['pause', 'resume']);
  });

  it('holds it back for many small pieces as for a large one', () => {
    const { body, told } = bodyOf();
    for (let count = 0; count < 4_096; count += 1) body.push(new Uint8Array(1));
    expect(told).toEqual(['pause']);
  });

  it('leaves the connection alone once it is complete, since another reply may be on its way', async () => {
    const { body, told } = bodyOf();
    body.push(large);
    body.complete();
    await body.next();
    expect(await body.next()).toEqual({ done: true, value: undefined });
    expect(told).toEqual(['pause']);
  });

  it('ends a waiting reader when it is given up', async () => {
    const { body, told } = bodyOf();
    const next = body.next();
    await body.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(told).toEqual(['cancel']);
  });
});
