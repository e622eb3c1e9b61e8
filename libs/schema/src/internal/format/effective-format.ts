import { isKnownFormat } from './registry.ts';

/**
 * The format that is checked, or none: the API server ignores what it does not know
 * (`StripUnsupportedFormatsPostProcessorForVersion` of apiextensions-apiserver).
 */
export function effectiveFormat(types: readonly string[], format: string): string {
  const type = types.length === 1 ? (types[0] ?? '') : '';
  if (type === '' || type === 'string') return isKnownFormat(format) ? format : '';
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  return '';
}
