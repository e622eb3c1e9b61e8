import { describe, expect, it } from 'vitest';
import { ReplyBody } from './reply-body.ts';

function bodyOf(): { readonly body: ReplyBody; readonly reported: string[] } {
  const reported: string[] = [];
  const report = (what: string) => () => void reported.push(what);
  return {
    body: new ReplyBody({ pause: report('pause'), resume: report('resume'), cancel: report('cancel') }),
    reported,
  };
}

describe('the body of a reply', () => {
  const large = new Uint8Array(300 * 1024);

  it('holds its connection back until it is read', async () => {
    const { body, reported } = bodyOf();
    body.push(large);
    expect(reported).toEqual(['pause']);
    await body.next();
    expect(reported).toEqual(['pause', 'resume']);
  });

  it('holds it back for many small pieces as for a large one', () => {
    const { body, reported } = bodyOf();
    for (let count = 0; count < 4_096; count += 1) body.push(new Uint8Array(1));
    expect(reported).toEqual(['pause']);
  });

  it('leaves the connection alone once it is complete, since another reply may be on its way', async () => {
    const { body, reported } = bodyOf();
    body.push(large);
    body.complete();
    await body.next();
    expect(await body.next()).toEqual({ done: true, value: undefined });
    expect(reported).toEqual(['pause']);
  });

  it('ends a waiting reader when it is given up', async () => {
    const { body, reported } = bodyOf();
    const next = body.next();
    await body.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(reported).toEqual(['cancel']);
  });
});
