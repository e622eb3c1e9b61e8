import { admitSpec, validationText } from '@ordinal/lifecycle';
import type { SpecRequest, ValidationError } from '@ordinal/lifecycle';
import type { Verdict } from '@ordinal/runtime/webhooks';
import type { Website } from './website.ts';

/** What the schema can't say: how a field depends on another one, or on what it was. */
export function validate({ spec }: Website, before?: Website): readonly ValidationError[] {
  const isTooLong = spec.size === 'small' && spec.page.length > 1_000;
  const shrinks = before?.spec.size === 'large' && spec.size === 'small';
  return [
    ...(isTooLong ? [{ path: 'spec.page', message: 'a small site has at most 1000 characters' }] : []),
    ...(shrinks ? [{ path: 'spec.size', message: 'a large site can’t become small: make a new one' }] : []),
  ];
}

/** The verdict of the validating webhook. */
export const admit = (request: SpecRequest<Website>): Verdict => admitSpec(request, { validate });

/** Why nothing is done, for the condition `Ready`; undefined where all is well. */
export function invalid(site: Website): string | undefined {
  const errors = validate(site);
  return errors.length === 0 ? undefined : validationText(errors);
}
