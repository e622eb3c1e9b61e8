import { describe, expect, it } from 'vitest';
import { ReplyBody } from './reply-body.ts';

function bodyOf(): { readonly body: ReplyBody; readonly calls: string[] } {
  const calls: string[] = [];
  const call = (what: string) => () => void calls.push(what);
  return {
    body: new ReplyBody({ pause: call('pause'), resume: call('resume'), cancel: call('cancel') }),
    calls,
  };
}

describe('the body of a reply', () => {
  const large = new Uint8Array(300 * 1024);

  it('holds its connection back until it is read', async () => {
    const { body, calls } = bodyOf();
    body.push(large);
    expect(calls).toEqual(['pause']);
    await body.next();
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('holds it back for many small pieces as for a large one', () => {
    const { body, calls } = bodyOf();
    for (let count = 0; count < 4_096; count += 1) body.push(new Uint8Array(1));
    expect(calls).toEqual(['pause']);
  });

  it('leaves the connection alone once it is complete, since another reply may be on its way', async () => {
    const { body, calls } = bodyOf();
    body.push(large);
    body.complete();
    await body.next();
    expect(await body.next()).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['pause']);
  });

  it('ends a waiting reader when it is given up', async () => {
    const { body, calls } = bodyOf();
    const next = body.next();
    await body.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['cancel']);
  });
});
