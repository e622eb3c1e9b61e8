import { describe, expect, test } from 'vitest';
import { parseCast } from './cast.ts';
import { drawing } from './drawing.ts';

const cast = parseCast(
  [
    '{"version":2,"width":80,"height":2}',
    '[10.5,"o","plain <text>\\r\\n"]',
    '[12,"o","\\u001b[32mgood\\u001b[0m & done\\r\\n"]',
  ].join('\n'),
);

describe('the drawing of a recording', () => {
  test('lets each line appear as long after the first as it was printed', () => {
    const delays = [...drawing(cast).matchAll(/animation-delay:([\d.]+)s/g)].map(([, delay]) => Number(delay));
    expect(delays).toEqual([0.5, 2]);
  });

  test('keeps colours and escapes what XML would take for its own', () => {
    expect(drawing(cast)).toContain('plain &lt;text&gt;');
    expect(drawing(cast)).toMatch(/<tspan fill="#8ddb8c">good<\/tspan> &amp; done/);
  });

  test('ends a line that is too long with an ellipsis', () => {
    expect(drawing({ lines: [{ seconds: 0, text: 'x'.repeat(500) }] })).toContain('x…</text>');
  });
});
