import { describe, expect, test } from 'vitest';
import { contradictionsOf } from './consistency.ts';
import { parseSettings } from './parse.ts';
import { options } from './settings.ts';

function contradictionsIn(...flags: readonly string[]): readonly string[] {
  const parsed = parseSettings(options, { flags, environment: {} });
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return contradictionsOf(parsed.settings);
}

describe('settings that are right one by one', () => {
  test('agree by default', () => {
    expect(contradictionsIn()).toEqual([]);
  });

  test('are refused where a lease would run out before its holder gives up', () => {
    expect(contradictionsIn('--lease-duration=5s', '--renew-deadline=10s')).toHaveLength(1);
    expect(contradictionsIn('--renew-deadline=2s', '--retry-period=3s')).toHaveLength(1);
  });

  test('are refused where replicas without leases are to share the work', () => {
    expect(contradictionsIn('--share-work', '--leader-elect=false')).toHaveLength(1);
    expect(contradictionsIn('--share-work', '--leader-elect=false', '--dry-run')).toEqual([]);
    expect(contradictionsIn('--share-work')).toEqual([]);
  });

  test('may say so where no lease is held', () => {
    expect(contradictionsIn('--leader-elect=false', '--lease-duration=5s')).toEqual([]);
  });

  test('are refused where webhooks would share a port, and not where there are none', () => {
    expect(contradictionsIn('--webhook-port=8081')).toHaveLength(1);
    expect(contradictionsIn('--webhook-port=8081', '--webhooks=false')).toEqual([]);
  });
});
