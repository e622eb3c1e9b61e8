import { secrets } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import { expect, test } from 'vitest';
import { declaredControllers } from './controllers.ts';

// A namespace may have hundreds of Secrets of a megabyte: whoever needs one reads it by its name.
test('no content of a Secret is watched', () => {
  const watched = declaredControllers(kinds)
    .flatMap(({ watches }) => watches)
    .filter(({ descriptor }) => descriptor.plural === secrets.plural && descriptor.group === secrets.group);
  expect(watched.length).toBeGreaterThan(0);
  for (const { descriptor } of watched)
    expect(descriptor).toMatchObject({ representation: 'metadata', annotations: [] });
});

test.each(kinds.map((kind) => [kind.name, kind] as const))(
  'the first controller of %s is that of its resources, and has its name',
  (name, kind) => {
    const [first] = declaredControllers([kind]);
    expect([first?.name, first?.primary.kind]).toEqual([name, kind.descriptor.kind]);
  },
);
